"""Common words of 16 languages by how common they are; made by benchmarks/word_frequencies.py.

The figures come from the vocabulary of the multilingual Universal Sentence Encoder (Apache-2.0).
"""

from __future__ import annotations

from typing import Final

BY_RARITY: Final[dict[int, str]] = {
    2: """
an and are as at be but by can che con da das de del der des di die do du el en
es et for from have he http il in is it la le les lo me na no non not of on or
para per por que se si so te that the they this to un una und ve was will with
you your
""",
    3: """
about al all also auch bir com como dan den don ein em est get ha had has her
his ich if ist je just ke like los ma mais man mas mi mit more my nao ne nicht
one ou out pas people pour qui said some su their them there time tu um uma une
up van von we what when which who would yang zu на не في
""",
    4: """
aber after als am any au auf aus back because been ber bu ce come could dans
della dem did does een eine er eu even first fur go good hat help het him how im
into its ja kann know las make mal may men most much need new now oder only os
other over par pero plus qu re really sa say see ser she should sich sie solo
son sono sua sur tem ter than then think ti two use ver very want way were work
ya по что ال من
""",
    5: """
ab ad ada alla anche around avec ba before bei being best better bien bis both
ca car ci cm co comme dann dari dass day dei dell dia different dir door dos
down due einen ele end entre era esta etc every fa faire fait far feel film find
foi game ge give gli going got here ho home icin ile io isso km last life little
long look lot love lui made many meng met might mir muito muy nach name nel
never noch nur off olarak op our own part parte piu place po point porque pra
puede put quando question right same schon sein sempre set seu show since sind
sobre something sont still such sure ta take tell these thing things those
through tiene todo too tout try under us used using va vai voce voor vous war
well wenn werden where while why wie wird world wurde year years за из как от
это على และ
""",
    6: """
aan able adala add again against ai air aja algo alle already ama american anda
anni anos another answer anything ao apa area ask aussi aux away bad base become
believe bem ben between bi big bin bit body bon business buy cada call called
cara care casa case caso change check chi class code cok company cosa country
cuando cui daha dal dar data date days delle desde dice diese dire dis dit doch
dog doing donde done dont durante durch each ed einem einer einfach either ela
elle else enough eso essere este esto etre ever ex face family fare fatto faut
fazer few file final fine following forma found france free friend friends fu
fue full fun ga gibi gibt girl god gore government grande great gut habe haben
hace hacer hai hair hand hard hast hasta hay head hier high hij hope idea ihr ii
image immer important including information ini internet iyi job john juga ka
kamu keep keine kind kita later least left less let leur li line link list live
local looking mai makes making mean means mehr meine mejor melhor memb meme
menos mesmo meu mich million minha mio mis moi molto mon money mu mucho muss
must nada next ni nie night nome normal nos nothing nous number ob od olan old
olur once online ont open orang pada pay pe pela pelo pen person peu peut plan
play poco pode poi possible post pre prett prima pro problem problema pu public
qual questo read real roku run sabe saber san sans sao says school sea season
seb second sehr sei sem ses sia side sin site small sollte sonra st start state
sub suis sul super support sus system talk tambem tan tanto team tempo test
though thought three times tipo todos told ton top total tra tres tutti tutto tv
type uber uit uno unter until value var vez vi via vida video viel vor water
week went werd wieder wir without wo women won working wrong yes yet yo yourself
za zijn zum zur был все вы года году для до его если или но он под при про так
то الم الى ان لل هذا وال
""",
    7: """
above according account acil across added age ago agua ainda ajuda aku album
allah alles allow almost along alors alt altri america amigo amor amount ancora
andere anderen ano ans antes anti anyone apenas app apres april aqui arasinda
art asi asked assim ate auto autres available average avoir aw baby ball band
bar based became behind beim below bene bij bist black blood bo boa bom book
brasil break bring bueno bulunmaktadir buyuk came cannot card cas cat categoria
causa cause cela cerca certain certo ces cevap chance changes child children
china choice chose cia city clear close club coisa col color comes coming
comment common commune community comprar computer consider consiglio contact
continue contra contre control cool cosas cose cosi cost county couple course
court create creo cual current cut dai dalla damit dat david deal death debe
decir degli deine denn dentro depois dersler deus deux deve devi dias dich
dieser doctor dogru dois donc dopo dove download dr drive early easy eat eerst
eles ella email encore english entao esa ese especially essa esse estado estar
estas ete etwas event everyone everything exact example existe experience extra
fact fai fall familie fan fast father favor faz ficar field fin fire fit five
fois food form former foto four frage front function future games ganz gar gas
gay geht gel general gente girls given goes google gran grand group gues gusta
hab half hangi hanno happen happy hatte health heard heart hi history hit hola
hold hot hours house however human hurt igual ihm ihn ihre iii iki ilgili ilk
importante include india inside instead inter ir ise issue issues jako jamais
james jest jesus jetzt kac kadar kali kan kategoride kein key kg ki klo known
kommt konnen lado land large lassen late law learn leave legal letter level
light likely longer loro lost low lu luck lugar lutfen machen main major maka
male mar market match matter mau media meglio mein mem member meno menschen mer
mes mia michael mind minutes mismo mm mo model modo moins moment momento monde
month months mother move movie mr mundo music naam naar nas national natural
near needs nei nell nem news nice nichts nombre north nunca often ogni oh ohne
ok oldu oldugu om onde oraz order original others otra otro outros outside pa
page pain pan parents paris park partir party past paul pc pense percent perche
perfect period persona personal pessoa pessoas phone pi pick played player
players playing please pod poder points pois police pop popular population
position posso pot power pregunta price primo problems process program project
proprio provide przez ps pued pues puis punto puo quand quanto quel quella
quello quem questa questions quiere quindi quite rather reason recent record red
relationship remember report research respect rest result return ri rien risk
rock room running saat sagen salud sama satu save saw sayfa saying search
secondo seem seems seen seine seja selbst self sense senza sera seria serie
series service services seus several sex short shows siempre significa sim
similar simple simply single sistema situation six size skin social soit soll
sometimes song soon soort sort sou sound sounds source sous south space special
sta stand star started states stato stay stesso stock stop store story strong
students stuff style suo tah taken takes taking tal talking tam tambien tanesi
tapi tarafindan tax temps ten tener tengo tenho term ters text third tiempo
todas today together toi took toplam tot toujours tous tried trop true tua tudo
tuo turn understand united university ur usa usar user uso usually vardir vas
verdad version veya vie viele viene view visto vita voir volta volte vom vou
wait walk wanted ware waren watch web website weeks weight weil weiss west
whether white whole win windows wirklich within woman word worden words works
worth www yaz yer yilinda york young zaman ze zeit zwei без будет бы было во
время ес есть же их когда ли меня может можно нет об она пере раз со только ты
уже اصل التصنيف التي او بال بن عام عن كان ما مع هو هي يشتمل โดย
""",
    8: """
abbia ability ac accept access act action actual addition address adi admin
advice af agora agosto agree ah ahora ainsi ak alan alguien algum alguna algunos
alguns ali aller allora allowed alone alta although alto altre altro amiga
amigos among andare animal anime annees anno answers antwort aos apple
application apply approach ar areas aren array arti article asking assume attack
attention august aunque australia autre avait avant aver avere avoid ayni ayuda
az bag bagli bak balance ban banda bang bank bas basic basta bastante bat bay
beat beaucoup beautiful bed began begin bekommen bella belle berb beri berlin
besser besten bewerken bias bilgi bill billion birlikte block blue board bonne
books born bought box boy brain brand brauch british bro brother brought brown
budget buen buena build building built bulunan bunlari bus busca button byl
california camera camp campaign campo canada cancer cant capital career cari
carry cases cash casi catch category cd cell celui cent center central centro
certains cette ceux cha changed chaque character charge charles chat cheap
chinese choose christian cidade circa citta ciudad claro clean click coach coba
coisas cold college command communes companies complete completely compra compte
comunque condition conditions considered conta contain content contiene conto
contract contro convert cor corpo correct cos count countries coup cover cra cre
created credit credo cree crois cu cualquier cuenta cuerpo culture cumle cunku
cup currently dabei dafur daily dall damage daniel darf dark daughter davon dazu
dead december decide decided decision deep dein deja dela dele demande denir
denke department depende depends depuis design despues details determine detto
deutschland development devo deze dib died diesem dieses dieu diferentes
difference difficile difficult diger dios direct directly director diri disco
disse dizer dla doit domanda donne dort double doubt dream drei drink driver
drop drug duas dvd earlier easier easily east ecc eder education effect
egalement eh eher eigentlich eight eines einige einmal ejemplo element ellos
encontrar energy england enjoy entire entonces entra equal error erst ersten
esempio esper estaba estados estao estava estos estou etait etwa euro europa
europe european events eventually evidence except excit exemple exemplo exist
expect expected explain extreme eye eyes faccio facebook fair fais falar falta
familia fanno fans farkli fat favorite fazla fc fe fear federal feeling feet
feliz felt female femme fez fica fight figure files filme finale financial finde
finish fino firm fish fix fo focus follow font foot football foram force forget
format forme formula forse forte forward fosse fra francais francisco frank frau
frauen french frente friday further gan gave geben gegen gehen geld geldig gelen
gemacht genau generally genre gens george gepubliceerd gerade german gia giorni
giorno gives gleich global goal gold gone gorulmektedir gosta gosto gr gracias
grandes grave grazie green ground grow growth grupo gruppo guarda guerra gun
gute gw haar haber habia hal hall hallo han handle hands happened happens har
hari haus haven hd healthy hear heat hecho heeft held hell hem heute hey hid
higher himself hin historia hoje hombre homem honest hora horas hospital host
hour hu huge husband icinde id ideal ideas imagine impact import inc included
includes increase indian individual indonesia industry info insan install
interest interested interesting interior international invece involved isbn
islam israel italia italiano itself iv jack jad jahr jahre jahren jaj jan
january japan jaw jean jeden jeder jedoch jego jej jemand jo jogo join jose jour
jours ju july june junto jusqu juste kala kam kar kare karsi kata kb kem kendi
kick kid kill killed kinder king kisa knew knowledge knows ko kolay kommen kon
konnte ku kucuk lack lang lange language latach latest laugh lavoro lead league
learning leben led lee lei leider leurs leute libro liegt limit listen lives
living llama loan log logo london looked lose lots louis lower lub luego maar
mac mach machine macht madre mag mail maior mak management manager manera mangia
mann mano marca march maria mark married martin mary masa massa mata material
maybe mayor meaning medical medio meet meeting meio meisten mela members memory
mend mental mentre menu meses mesma message metal method micro mid middle mie
mieux migliore mil miles military mim mime min mine mira misma miss mobile
mochte mode modele modern mois mol mom monday mondo moral morning mort morte
motor moved moving muchas muchos mujer mulher multi multiple musica mussen
myself nama named names nasil nature naturlich nearly needed negar negative net
network niente niet noi nom normale note notice november nu nuevo nulla num
numbers numero nun obama object obvious october offer office official oil
olabilir older olmasi onder onemli ones ook opera opinion oppure option options
ora otras otros outra outras outro paar padre pages pagina paid pais pake papa
paper parce parece parti particular partie partner parts pasa pasar pass passa
passe pasti path pays pena pensa pensar penso performance pergunta periodo
personas persone personne personnes peso pet peter petit peuvent photo piace
piano picture piece pill pin plaats places plans plusieurs policy political
poner poor porta positive possono posto potential pouco pourquoi practice
precisa prefer pregnant premier premiere prend present presente president press
pressure previous primeira primeiro primer primera principal print private
problemas problemi produce product production products professional programa
programs projects property prova prove prze przy pueden pull punti pure push
qualcosa quale quality qualquer quarter quasi quelle quelques quer questi
quickly quien quier quoi race radio ragazza ragazzo ram ran range rate rating
reach reading ready realmente reasons received recensement recently recom
recommend reflect regia regular rein related relative release released religion
remove reponse reported represent require required response reste resto results
richard richtig rid ring rio road robert role roma round route royal rules sad
safe sai saint sais sal sala sale sales sang santa sapere sara sarebbe saturday
savoir sayi scar scene schnell science screen sebe section security seek seguito
segunda segundo seguro sehen seinen seiner seit sek sekilde sela select sell
semana sembra semi send sendo sens sent senti sentir september serious serve
server seul seven sexo sexual sh share shares shot sicher sido sign sino sister
sit sites sito sleep slow sm smart smith sn software sol sold solution songs
sorte soru sotto souvent sowie soy sp spa spater speak specific speed spend
spent spesso spo sport stadt staff stage standard stare starting stata statement
station status steht step stessa stick sto storia straight street stress string
structure student studio study stupid suas subject success sue suerte suggest
suite summer sun sunday suoi supposed surtout table tag tak tane tant tarde
target tarihinde tau teams technology tej tek tema template tend tenga terms
terra tes th thanks themselves thinking thomas throw tienen tinha tip title toda
tom tomar touch tour toute toutes toward town trabajo trabalho track trade train
training trans transfer tras trata travel tre trip troppo trouble trouve trova
tru trump trust truth tuesday tun turk turkiye turned tus tutte tym uk unidos
unique unless unos upon vale valor varia various veces vedere verdade vero vers
verso veut vezes videos virus visit vista voi voice vol volume vos vote votr
vraiment vs vu vuo wa wants warm washington wasser watching ways wear weg weiter
welche welt wenig wer whatever wife wikipedia william wish wissen wohl wonder
wordt worked wors write writing written wrote wurden wy yahoo yani yap yazar yea
yeni yil zich zona zone zostal zuruck zusammen zwar zwischen более больше была
были быть вот где год да даже ее еще который кто лет лучше люб мне много мо мы
надо ни ну нужно они очень после потом просто себя также там теб того тоже том
человек чем через чтобы этого этом الا الذي الع المتحدة بعد بين تم حسب حيث ذلك
سنة عدد قبل كانت كل كما لا لم موقع هذه وت وفي وقد وي การ ใน
""",
    9: """
abba abril abuse acaba acordo acqua actions active activities activity actor
adam adding additional ademas adli adult advantage affect africa african agar
agency agli ahead ajud ajudar alcohol alcun alcuni alem alguem alguma algumas
algun allem allen allerdings allo alma almeno alternative altura amazon ambos
americans amerika ami amici amico amo ana ancak anders android angeles animals
anlami anna annee announced annual antonio anywhere aparece apart apos apparent
appear appeared appears appropriate argentina argument arm army arrive arzt asia
association ataturk atom attempt attend audio australian author autor ave aveva
avrupa avuto award aware ay ayud ayudar background bagu bah baha baixa bajo
barat basis baska bath battle bau bazi bebe beginning behavior beide beiden
beispiel bel beli bello benefit benefits bereits bers beso besoin beste bestimmt
bet beyond bible bigger biggest bike bil bila bio biri birth bisogno bitte biz
bl blog blow blu bob bol bola boot bor bot bottle bottom bou boyfriend boys
breath broke browser bru buch bul bulan bull bulunur buon buona bur burada burn
bush businesses butun cal calling calls calm calori cambia cambiar cambio
canadian canzone cap capelli capire capita careful carl carlos carne carro cars
carta cast caught caused celle celular centre century certa certeza cet ceva ch
championship chances changing char characters charges chiama chica chicago chief
chocolate choses chris christ christmas church ciclo cikar cinta cio civil claim
classe classes clic client closed clothes collection colocar combat combination
comer comments commercial compare compared competition completamente complex
comprend comune concept congress connect connection conseguir console constant
construction contem context continua continued contrario conversa conversation
cook cop copy core corner corps costa costs council counter courage cours crack
cream crime criminal cross crowd cry cuanto cultura cultural cura customer
customers cycle dad dalle dance daran darauf dare database dato davvero debt
debut dec deel default defense degil degildir degree deixa deixar dejar dello
demand denen departement descarga described designed desire devam develop
developed device dicen dici dico diesen diet diferente dificil diga digital dijo
dik dil dinero dinheiro dio dipende direction disease display disso distance
district diverse division diye diz dna document doi dollars donna donnees donner
dormir dovrebbe drama draw dress driving droit drugs dry dua duda dunya dur dura
during earth eben echt economic economy edad eden edit eerste effective effects
effort election elles eltern embargo emotional employees empresa encuentra ende
ended energia enfants engine ensuite ensure entender enter entrar environment
episode epoca equipo eran erano erste esas eski esos espana espanol especial
established estan estilo etti euch eux ev excellent executive exercise expensive
express faca faccia facil facile faco facon factor failed faith fala false
famiglia familiar families famille famous farlo fase faster fazendo feature
features february feed feelings fell femmes festival fi fil filho fill fille
films fils fim finally finden finding finger finished fiz fla flash flat floor
florida flow fold followed fond fondo forces foreign formato forza fourth fox
frase fresh fuel fuera fueron fui fully funciona fund funds fuori fut futuro gab
gain ganze gaz geh gehort gelir gemeente gen genere ger geri germany gerne gi
gift ging gioco girlfriend glass glaube gluck goals gol gott governo grade gram
gratis greater gros groupe groups growing grund gt gu guerre guide gusto guzel
habit habitantes habitants hacen haci haga hak hakkinda halt hang harm harry
haya heavy height heisst helfen henry highly hijo hilf hill hizo hoch holding
hombres homens homme hommes honor hop horse hotel hoy hub humano hun hund
hundred ic ice ici idio ignore ihrer illegal immediately importa impossible
improve income increased indica indicate initial inner input insieme instance
institute insurance interview investment inwoners iphone island istanbul
italiana item items jaar jackson jak jam janvier japanese java jawa jednak jel
jobs joe jogos johnson joke jones joseph journee juan judge juego jum jump jun
kabul kacti kal kalo kara karen karl kat kategorii kati keeping kel ken kept
kese kim kisi kiss klar kleine kok korper kr ktore ktory kur label lake langs
larger largest largo lascia launch laut laws leader leading learned leaving leg
legge length levels lg lhe liberal libre lie liebe lieu limited lines ling links
lista listed lived livre llegar lleva load located location loop lord lors loss
loved luz madrid mae maintain maioria majority malo mana manda manga manual map
marche mari marie marine marriage mars mart marzo mass master matt max meant
meat medico meer meinung memoria menor mensch mente mention mentioned mercado
merci mese mesi mess meter metros mettere mexico microsoft miejsce mientras mike
milk millions mini minimum minister minor minute minutos missing mix mod moglich
molti monitor mono mont monte mostly mot motivo moto mouth movement movies mp
mucha muda muita muitas muitos mujeres mulheres murder museum musical musik
mutter nacional nad nadie namen nation necesita necessary neden negli nehmen
nesse nessuno neu neue nine niveau nog none nor nord norte nossa nosso nouveau
nova novembre novo numa nuovo obra occhi odd offers officer officials oggi ol
oldugunu olha olmak olmustur olsun oltre olup onto opened opening opportunity
organ organization ornek ortay osmanli otherwise output overall owner pac pack
package pag pagar pai pair paises papel parent parla parle parler parole
particularly parties paso passar passed passer pat patients pattern paulo paura
paying peace pedro pega pek peli pelos pene perder perform perhaps permet
personally petite photos physical piac pic pictures pili pl planet planning
plant platform plays plug plutot pm poblacion podem politique pone pontos port
porte portugal posible possa possibile possibly potrebbe pouvoir powerful pr
preciso prendere prendre presidente preso prevent pri prices prime primero
principalmente prior prison probleme processo produced professor profit
programma progress proper properly propre prose protect protection protein
provided provincia published pue pueda pun puntos pur purchase purpose qualcuno
quali queda quelque queria quero queste quick ra ragazzi raise raised raison
random rap rapport rare rasa rat ray reality realize receive recht records
reduce refer reference regiao region relacao relax religious remain removed rep
replace reports request requested resources respond responder responsible
resposta respuesta restaurant resultado returned review rich ride riesc rights
rispetto risposta risque river ro rol roll roman root rose row rowniez roz ru
rule rum runs russia sab sadece safety sagt sahip salt sam samp sana sangue sar
sat sayisi scarica sch schli schools score scott script scritto scuola seconda
seconds secret sede seguinte seguintes seguir seite seiten sel selber semplice
sen senior senso sentence sentido separate serait seriously served sete setting
seule sevin sey sha shape shi shoe shop showing shown siamo sick siecle sieht
siendo siente siglo signed significant siguiente simples sing sinif sirv sistem
ski skills sky smaller smoke society soft sogar sola solche sole solid solve
somos sonst sopra soprattutto sor sorry soul sources species spin split sports
spot spread spring square stagione stai starts stati stehen steve stopped stores
stories str stron subito successful sud sugar sui suit sull sum superior supply
surface sweet switch sy systems tab takze talent tamb tang tank tanta tar tard
tarih taste teach teacher techniques tego teil tel tele telefon television
telling temperatura temporada tenha termine terre terrible testa tete teve texas
thank theory therefore thos thread throughout thursday thus tier till tipi tiver
tool tor totale tough tr traditional traffic tranquill transport tratta travail
treat treatment tree tri trick triste trois trouver trovare trovi truc tum tumb
tussen tut tutta twee twice twitter types uberhaupt uc understanding unico union
unit unsere update usando useful users uses uzere uzerinde uzerine uzun val
values vari variable varios vehicle venne vera verde vet vice vier village ville
violence virtual vis vive vivo vo vois vole vorre voy vrai vuole waar wahrend
waiting wal wall wann waste wearing wednesday weekend wegen weis weniger wh wi
wide williams willing wind window winning wollen workers worst wszystkich xix xp
xx yapar yapilan yardim yardimci yazi yerine yok yoktur yol yu yuksek zamanda
zero zo вам вас вообще вопрос всегда всего всех гор де делать день дума ему
жизни им какой км конечно которые ма мож нас него них ничего области один ответ
пар рас россии сам себе ска стал такой тем тот тут чего человека эти является
اكثر الت الس الق القرن الله الن الولايات اي باك بعض تحت ثم حتى خلال عبد عشر غير
قد قدم كرة لاعب له مثل محفوظة محمد مدينة مشين نسبة نسخة نسمة وا والم واي وكان وم
وهو وهي คน จาก รายการ
""",
}
"""Folded words by tenths of the rarity of an ordinary word."""
