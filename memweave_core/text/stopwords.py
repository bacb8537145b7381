"""Function words by language: articles, pronouns, prepositions, conjunctions, auxiliaries, question words.

Closed word classes only. A word that can carry the meaning of a question ("work", "name", "system") is not
here, however frequent: rarity in the index already discounts it.
"""

from __future__ import annotations

from functools import cache

_WORDS = {
    "ca": """
        el la els les un una uns unes de del dels a al als en amb per pels pel i o ni que què qui quin quina
        quins quines quan on com perquè si no sí es em et ens us li hi ho ha he hem heu han havia és són era
        eren ser estar està estan fer fa jo tu ell ella nosaltres vosaltres ells elles meu meva teu teva seu
        seva aquest aquesta aquests aquestes això aquell aquella molt més menys també però doncs ja tot tota
        tots totes
    """,
    "da": """
        og i jeg det at en et den til er som på de med han af for ikke der var mig sig men har om vi min
        havde ham hun nu over da fra du ud sin dem os op man hans hvor eller hvad skal selv her alle vil
        blev kunne ind når være dog noget ville jo deres efter ned skulle denne end dette mit også under
        have dig anden hende mine alt meget sit sine vor mod disse hvis din nogle hos blive mange ad bliver
        hendes været thi jer sådan hvem hvilken hvilket hvilke hvordan hvorfor hvornår kan
    """,
    "de": """
        der die das den dem des ein eine einen einem einer eines und oder aber denn doch ich du er sie es
        wir ihr mich dich sich uns euch mir dir ihm ihn ihnen mein meine meinen meinem meiner dein deine
        deinen sein seine seinen seinem seiner ihre ihren ihrem ihrer unser unsere unseren euer eure ist
        sind war waren bin bist seid gewesen wird werden wurde wurden worden werde hat haben hatte hatten
        habe hast kann können konnte konnten muss müssen musste soll sollen sollte will wollen wollte darf
        dürfen mag möchte in im an am auf aus bei beim bis durch für gegen mit nach ohne über um unter von
        vom vor zu zum zur zwischen nicht kein keine keinen auch noch nur schon sehr so wie als wenn weil
        dass daß ob da dann dort hier wo wann warum was wer wem wen welche welcher welches welchen diese
        dieser dieses diesen diesem jene jener man mehr sowie während wieder
    """,
    "en": """
        a an the and or but nor if then than so as at by for from in into of off on onto out over to up upon
        with within without about above across after against along among around before behind below beneath
        beside between beyond down during inside outside through throughout toward towards under until via i
        me my mine myself you your yours yourself yourselves he him his himself she her hers herself it its
        itself we us our ours ourselves they them their theirs themselves this that these those who whom
        whose which what when where why how is am are was were be been being do does did doing done has have
        had having can could will would shall should may might must ought not no yes there here very too
        also just only even ever such both each either neither any some other another same own again once
        because while whereas whether though although however let lets i'm i've i'd i'll you're you've you'd
        you'll he'd he'll she'd she'll it'd it'll we're we've we'd we'll they're they've they'd they'll
        isn't aren't wasn't weren't don't doesn't didn't hasn't haven't hadn't can't cannot couldn't won't
        wouldn't shan't shouldn't mustn't mightn't needn't
    """,
    "es": """
        el la los las lo un una unos unas de del a al en con por para sin sobre entre hasta desde hacia
        según tras contra durante y e o u ni pero sino aunque porque pues si que qué quien quién quienes
        quiénes cual cuál cuales cuáles cuando cuándo donde dónde adonde como cómo cuanto cuánto cuánta
        cuántos cuántas cuyo cuya yo tú él ella ello nosotros nosotras vosotros vosotras ellos ellas usted
        ustedes me te se nos os le les mi mis tu tus su sus nuestro nuestra nuestros nuestras vuestro
        vuestra mío mía suyo suya este esta estos estas esto ese esa esos esas eso aquel aquella aquellos
        aquellas aquello es son era eran fue fueron ser sea sean sido siendo soy eres somos será serán sería
        está están estaba estaban estar estoy estamos estuvo ha han he hemos había habían haber hay hubo
        haya no sí ya muy más menos tan tanto también tampoco así entonces
    """,
    "fi": """
        ja tai sekä mutta vaan eli kun jos että koska vaikka kuin niin myös vielä jo nyt ei en et emme ette
        eivät ole on olen olet olemme olette ovat oli olivat ollut olla olisi minä sinä hän me te he minun
        sinun hänen meidän teidän heidän minua sinua häntä minulla sinulla hänellä minulle se ne tämä tuo
        nämä nuo tämän sen niiden sitä niitä tätä siinä siitä siihen tässä tästä joka jotka jonka joita
        jossa josta mikä mitä mitkä minkä missä mistä mihin kuka kenen ketä milloin miksi miten millainen
        itse kanssa mukaan ennen jälkeen yli ali ilman
    """,
    "fr": """
        le la les un une des du de à au aux en dans par pour sans sur sous avec entre vers chez contre
        pendant depuis jusque et ou où mais donc or ni car si que qui quoi dont quand comment pourquoi quel
        quelle quels quelles lequel laquelle combien je tu il elle on nous vous ils elles me te se lui leur
        leurs y mon ma mes ton ta tes son sa ses notre nos votre vos ce cet cette ces cela ça ceci celui
        celle ceux celles est sont était étaient être été suis es sommes êtes sera seront serait soit a ont
        avait avaient avoir eu ai as avons avez aura ne pas plus non oui très trop aussi même comme parce
        puis alors ainsi est-ce c'est n'est d'un d'une qu'il qu'elle
    """,
    "hu": """
        a az egy és vagy de hogy ha mert mint is nem ne csak már még meg ki mi mit ki kit aki akik amely
        amelyek ami amit amikor ahol mikor hol hová honnan miért hogyan milyen melyik mennyi én te ő mi ti
        ők engem téged őt minket nekem neked neki nekünk ez azt ezt ezek azok ebben abban ennek annak erre
        arra itt ott van vannak volt voltak lesz lesznek lenne lett legyen volna igen pedig hanem azonban
        akkor így úgy sem se minden nagyon el fel le be után előtt alatt között szerint által
    """,
    "it": """
        il lo la i gli le un uno una di del dello della dei degli delle dell' a al allo alla ai agli alle
        all' da dal dallo dalla dai dagli dalle in nel nello nella nei negli nelle nell' con su sul sullo
        sulla sui sugli sulle per tra fra e ed o ma se che chi cui non più anche come dove quando perché
        quanto quanta quanti quante quale quali cosa io tu lui lei noi voi loro mi ti ci vi si ne mio mia
        miei mie tuo tua suo sua suoi sue nostro nostra vostro vostra questo questa questi queste quello
        quella quelli quelle ciò è sono era erano essere stato stata stati state sia siamo siete fu furono
        sarà ho hai ha abbiamo avete hanno aveva avevano avere sì già molto così c'è dov'è cos'è
    """,
    "nl": """
        de het een en of maar want dus als dan dat die dit deze wie wat waar wanneer waarom hoe welke welk
        ik jij je u hij zij ze wij we jullie hen hun hem haar mij me ons onze mijn jouw uw zijn is was waren
        ben bent geweest wordt worden werd werden heeft hebben had hadden heb hebt kan kunnen kon konden zal
        zullen zou zouden moet moeten moest mag mogen wil willen te in op aan bij met voor van naar uit door
        over onder tot tegen tussen om na zonder niet geen ook nog al er hier daar zo zeer wel toch omdat
        zich zelf toen
    """,
    "no": """
        og i jeg det at en et ei den til er som på de med han av for ikke der var meg seg men har om vi min
        mitt mine hadde ham hun nå over da fra du ut sin dem oss opp man hans hvor eller hva skal selv her
        alle vil ble kunne inn når være noe noen ville deres etter ned skulle denne enn dette også under ha
        deg hennes mye sitt sine mot disse hvis din ditt dine hos bli blir mange vært hvem hvilken hvilket
        hvilke hvordan hvorfor kan eg ikkje kva kven ein eit
    """,
    "pl": """
        i w we z ze na do od o u po za przed przy pod nad przez dla bez między oraz lub albo ale a że żeby
        aby bo jeśli jeżeli gdy kiedy gdzie jak jaki jaka jakie jakich dlaczego co czego kto kogo czy który
        która które których nie tak się to ten ta te tego tej tych tym jest są był była było byli być będzie
        będą ja ty on ona ono my wy oni one mnie mi ciebie ci go jego jej ich mu im nas was mój moja moje
        twój swój swoje już jeszcze tylko także również bardzo więc
    """,
    "pt": """
        o a os as um uma uns umas de do da dos das em no na nos nas por pelo pela pelos pelas para com sem
        sobre entre até desde e ou mas nem se que quê quem qual quais quando onde como quanto quanta quantos
        quantas porque porquê eu tu ele ela nós vós eles elas você vocês me te lhe lhes vos meu minha meus
        minhas teu tua seu sua seus suas nosso nossa nossos nossas este esta estes estas isto esse essa
        esses essas isso aquele aquela aqueles aquelas aquilo é são era eram foi foram ser sido sendo sou
        somos será serão seria está estão estava estavam estar estou tem têm tinha tinham ter tenho há havia
        não sim já muito mais menos também ao aos à às num numa dum duma então
    """,
    "ro": """
        și si sau dar ori nici că ca să de la în in din pe cu pentru prin fără peste sub între spre către
        după până un o unei unui unor niște cel cea cei cele al ai ale lui ei lor eu tu el ea noi voi ele mă
        te se ne vă îl îi le mi ți i-a meu mea tău ta său sa nostru noastră acest această acești aceste
        acesta aceasta acel acea acele asta ăsta este e sunt era erau fi fost sînt am are au avea avem aveți
        nu da mai foarte când unde cum ce cine care cât câtă câți câte cui dacă deci iar doar tot toate
    """,
    "ru": """
        и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее её мне
        было вот от меня еще ещё нет о из ему теперь когда даже ну вдруг ли если уже или ни быть был него до
        вас нибудь опять уж вам ведь там потом себя ничего ей может они тут где есть надо ней для мы тебя их
        чем была сам чтоб без будто чего раз тоже себе под будет ж тогда кто этот того потому этого какой
        какая какие ним здесь этом почти мой тем чтобы нее сейчас были куда зачем всех никогда можно при
        наконец об другой после над тот через эти нас про них какая много разве эту моя впрочем свою этой
        перед иногда чуть том такой им более всегда конечно всю между это почему сколько чей
    """,
    "sv": """
        och det att i en ett jag hon som han på den med var sig för så till är men om hade de av icke mig du
        henne då sin nu har inte hans honom skulle hennes där min man ej vid kunde något från ut när efter
        upp vi dem vara vad över än dig kan sina här ha mot alla under någon eller allt mycket sedan denna
        själv detta åt utan varit hur ingen mitt ni bli blev oss din dessa några deras blir mina samma
        vilken er sådan vår blivit dess inom mellan sådant varför varje vilka ditt vem vilket sitt vart dina
        vars vårt våra ert era
    """,
    "tr": """
        ve veya ya da de ile ama fakat ancak için gibi kadar göre ki mi mı mu mü ne neden niçin nasıl nerede
        nereye kim kimin hangi kaç zaman bu şu o bunu şunu onu buna ona bunlar onlar ben sen biz siz beni
        seni bizi sizi bana sana bize benim senin onun bizim sizin onların bir her hiç değil var yok olan
        olarak oldu olur çok daha en sonra önce ise eğer çünkü hem diye
    """,
}

LANGUAGES = tuple(sorted(_WORDS))
"""ISO 639-1 codes of the languages whose function words are known."""


@cache
def stop_words(language: str) -> frozenset[str]:
    """The function words of a language in lower case with their accents; empty for an unknown code."""
    return frozenset(_WORDS.get(language, "").split())
