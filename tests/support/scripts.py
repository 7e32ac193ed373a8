"""Ordinary sentences of many languages and scripts, by language code."""

SENTENCES = {
    "en": """\
"Stop!" he said. "Don't go – it's only 5 p.m."
“Curious,” she said; “isn’t it?” (Nobody ‘knew’.)
Write to jane.doe+news@example.org or see https://example.org/a_b?c=1&d=2#top.
It costs $1,299.50, not £3 or 5¢; that's 12.5% off, 3×4=12 and 2+2<5.
Pages 10–12, 1939–1945, a 3-to-4-year plan; and/or the U.S.-led talks at 10:30.
The rock'n'roll of the '60s, the dogs' owner, 'tis James's — or so they say…
Great!!! 👍🏽 😀 🇫🇷 👩‍👩‍👧‍👦 ❤️ 1️⃣ ‼️ #1 @home *now* [sic] {a} ~b~ ^c C:\\temp""",
    "fr": """\
« Bonjour ! » dit-il : « l’été d’Europe arrive aujourd’hui, n’est-ce pas ? »
Il paie 1 234,50 € ; c'est-à-dire 10 % de plus qu'à 8 h 30.
Va-t'en ! Jusqu'où iras-tu, M. Dupont ?""",
    "de": """\
„Guten Tag“, sagte er, „das kostet 3,50 Euro – oder?“
Die Vor- und Nachteile der Haupt-/Nebenrollen am 3. Oktober, z. B. um 10:30 Uhr.
»Geht's?« fragte Hans’ Bruder. So ’n Quatsch!""",
    "es": """\
¿Qué tal? ¡Muy bien! ¿Y tú?… —Vale —dijo él—, a las 9:15 h.
El 50 % de los ítems cuesta 1.500,75 €.""",
    "pt": "Vendem-se casas: R$ 250.000,00 à vista; dê-me, por favor, o nº 7 – “já!”",
    "it": "L'amica dell'amico c'è già; un po' di pane, perché no? È l’ora!",
    "nl": "Zo'n foto's kosten € 2,-; 's morgens om 8.30 uur, 't is waar.",
    "sv": "”Hej”, sa hon. Klockan 7:45 – inte 8 – kl. 19.30, s:t Eriks bro.",
    "da": "Det er »svært«, sagde han, kl. 14.30 – men USA's pris er 1.000 kr.",
    "no": "EU-landene og «ærlige» folk: 10 000 kr, f.eks. i 2020-årene.",
    "fi": "”Päivää!” Linja-auto lähtee klo 8.15; EU:n ja 5 %:n vaa'an.",
    "is": "„Halló,“ sagði hún; það kostar 1.000 kr. – ekki satt?",
    "et": "„Tere!“ ütles ta. Kell 8.30 – ja 10% hind.",
    "lv": "“Labdien!” viņš teica; cena ir 5,50 € (ar PVN).",
    "lt": "„Labas!“ – tarė jis; kaina 5,50 € ir 10 proc.",
    "hu": "„Jó napot!” – mondta; az ára 1 500 Ft, 10%-kal több.",
    "cs": "„Dobrý den,“ řekl; cena je 1 500,- Kč, tj. o 5 % víc.",
    "sk": "„Ahoj!“ povedal. Stojí to 3,50 €, t. j. menej-viac.",
    "sl": "»Dobro jutro!« je rekel. Ob 8.30 – ne 9.00.",
    "hr": "„Dobar dan!” rekao je. To košta 5,50 € (oko 10 %).",
    "pl": "„Dzień dobry” – powiedział; kosztuje 5,50 zł, np. 10%.",
    "ro": "„Bună ziua!” a spus el; într-o zi, la 8:30, s-a dus.",
    "sq": "“Mirëdita!” tha ai; kushton 5,50 €, s'ka problem.",
    "tr": "“Merhaba!” dedi. İstanbul'da saat 08.30'da; fiyatı %50 arttı.",
    "az": "“Salam!” dedi. Bakı’da qiymət 5,50 ₼-dir.",
    "uz": "“Salom!” dedi u. Oʻzbekiston — goʻzal, O'zbekiston ham.",
    "vi": "“Xin chào!” – anh ấy nói. Giá là 5.000₫, tức 10%.",
    "id": '"Selamat pagi!" katanya. Harganya Rp5.000,00; anak-anak bermain.',
    "tl": '"Kumusta!" sabi niya. Ika-5 ng umaga, ₱100 ang halaga.',
    "ceb": '"Maayong buntag!" matud niya. Unsa\'y imong ngalan?',
    "sw": '"Habari!" alisema. Ng\'ombe wangu ana thamani ya Sh. 5,000.',
    "yo": "“Báwo ni?” ó ní. Ọjọ́ náà dára púpọ̀, àbí bẹ́ẹ̀ kọ́?",
    "haw": "“Aloha!” wahi āna. ʻO Hawaiʻi kuʻu home, ʻaʻole anei?",
    "nv": "“Yáʼátʼééh!” níí. Diné bizaad yáʼátʼééh.",
    "eo": "“Saluton!” li diris. L' espero estas ĉie, ĉu ne?",
    "ca": "«Bon dia!», digué. L'aigua col·labora; costa 5,50 €.",
    "eu": "«Kaixo!» esan zuen. 5,50 €-ko prezioa, %10 gehiago.",
    "ru": """\
«Здравствуйте!» — сказал он. — Который час? 10:30.
Это стоит 1 500,50 ₽, т. е. на 10 % больше; из-за чего?""",
    "uk": "«Добрий день!» — мовив він. П’ять м'ячів і обʼєкт за 5,50 ₴.",
    "bg": "„Добър ден!“ – каза той. Цената е 5,50 лв., т.е. с 10% повече.",
    "sr": "„Добар дан!“ рекао је. To košta 5,50 динара, зар не?",
    "kk": "«Сәлем!» — деді ол. Бағасы 5 000 ₸-ге жуық.",
    "mn": "“Сайн байна уу?” гэж тэр хэлэв. Үнэ нь 5,000₮.",
    "el": "«Καλημέρα!» είπε. Τι ώρα είναι; Κοστίζει 5,50 € — σ’ αγαπώ· ναι.",
    "ka": "„გამარჯობა!“ – თქვა მან. ფასი 5,50 ₾-ია, ანუ 10%-ით მეტი.",
    "hy": "«Բարև՛», ասաց նա։ Ինչպե՞ս ես, արժե 5,50 ֏ …",
    "he": """\
"שלום!" אמר צה"ל. מה השעה? 10:30 – ד"ר כהן ו-3 ילדים בע״מ ג׳ירפה.
המחיר הוא 50 ₪, כלומר 10% יותר; תל־אביב.""",
    "ar": """\
مرحبا، كيف حالك اليوم؟ «بخير»؛ شكرا!
السعر ١٬٥٠٠٫٥٠ ر.س. أي ١٠٪ أكثر (الساعة 10:30).
\u202bقال: "لا أعرف".\u202c""",
    "fa": """\
«سلام!» او گفت: می‌خواهم کتاب‌ها را بخوانم؛ چرا نه؟
قیمت ۱٬۵۰۰ تومان است، یعنی ۱۰٪ بیشتر.""",
    "ur": "“السلام علیکم!” اُس نے کہا؛ آپ کیسے ہیں؟ قیمت ۵۰۰ روپے ہے۔",
    "ku": '"Rojbaş!" wî got. Ji min re\'ya xwe bêje, saet 8:30 e.',
    "ckb": "«سڵاو!» ئەو گوتی؛ چۆنی؟ نرخەکەی ٥٠٠ دینارە.",
    "ps": "«سلام!» هغه وویل؛ تاسو څنګه یاست؟",
    "dv": "“އައްސަލާމު ޢަލައިކުމް!” އޭނާ ބުންޏެވެ؟",
    "hi": """\
“नमस्ते!” उसने कहा। आप कैसे हैं? कीमत ₹1,50,000 है॥
डॉ. शर्मा ने ‘क्‍ष’ लिखा; १०% छूट।""",
    "mr": "“नमस्कार!” तो म्हणाला. दर्‍या आणि वाऱ्या, किंमत ₹५०० आहे.",
    "ne": "“नमस्ते!” उनले भने। मूल्य रु. ५०० हो, होइन र?",
    "bn": """\
“নমস্কার!” সে বলল। আপনি কেমন আছেন? দাম ৳৫০০।
র‍্যাব ও ‘ঢাকা’—সব ১০% কম।""",
    "as": "“নমস্কাৰ!” তেওঁ ক’লে। দাম ₹৫০০, নহয়নে?",
    "pa": "“ਸਤ ਸ੍ਰੀ ਅਕਾਲ!” ਉਸਨੇ ਕਿਹਾ। ਕੀਮਤ ₹੫੦੦ ਹੈ?",
    "gu": "“નમસ્તે!” તેણે કહ્યું. કિંમત ₹૫૦૦ છે, ખરું ને?",
    "or": "“ନମସ୍କାର!” ସେ କହିଲେ। ଦାମ ₹୫୦୦ କି?",
    "ta": "“வணக்கம்!” என்றார் அவர். விலை ₹500; சரியா?",
    "te": "“నమస్కారం!” అన్నాడు. ధర ₹500; క్‌షణం.",
    "kn": "“ನಮಸ್ಕಾರ!” ಅವನು ಹೇಳಿದ. ಬೆಲೆ ₹500; ರ‍್ಯಾಲಿ.",
    "ml": "“നമസ്കാരം!” അവൻ പറഞ്ഞു. വില ₹500; അവന്‍ വരുന്നു.",
    "si": "“ආයුබෝවන්!” ඔහු කීවේය. ශ්‍රී ලංකාව, මිල රු. 500.",
    "th": """\
“สวัสดีครับ” เขาพูดว่า วันนี้อากาศร้อนมาก ราคา ฿500.50 ฯลฯ
เด็กๆ มาเวลา 10:30 น. (ประมาณ)""",
    "lo": "“ສະບາຍດີ!” ລາວເວົ້າ. ລາຄາ ₭5,000 ໆ ແມ່ນບໍ?",
    "km": "“សួស្តី!”\u200bគាត់\u200bនិយាយ។ តម្លៃ ៛៥០០ ៗ មែន​ទេ?",
    "my": "“မင်္ဂလာပါ” လို့ သူပြောတယ်။ ဈေးက ၅၀၀ ကျပ်၊ ဟုတ်လား။",
    "bo": "“བཀྲ་ཤིས་བདེ་ལེགས།” ཁོས་བཤད། གོང་ཚད་ ༥༠༠ རེད།",
    "am": "“ሰላም!” አለ። ዋጋው 500 ብር ነው፤ አይደል፧ ፈ፡ተ።",
    "ti": "“ሰላም!” ኢሉ። ዋጋኡ 500 ናቕፋ እዩ፣ ከመይ ኣለኻ፧",
    "chr": "“ᎣᏏᏲ!” ᎤᏛᏁ. ᏙᎯᏧ?",
    "iu": "“ᐊᐃ!” ᐅᖃᖅᑐᖅ. ᖃᓄᐃᐱᑦ?",
    "zh": """\
他说：“我爱北京，你呢？”（《红楼梦》）——好！……
iPhone 15 售价￥5,999.00，比去年贵10%；上午10:30开始。
我 爱 Python 编程，见 https://example.cn/a。 Tom·Lee 说『好』！""",
    "zh-TW": "「你好嗎？」他問道：「今天是 12/3 (四)、下午3～5點。」",
    "yue": "「你食咗飯未呀？」佢話：「未呀，唔該晒！」",
    "ja": """\
「こんにちは。」と彼は言った。ｶﾀｶﾅもＡＢＣも５００円（税込）です！　そうですか？
コーヒーは、１０時３０分〜１１時に飲みます・・・人々 ゝ ヶ月。
か\u309aとTシャツ、Mr.スミスさん。""",
    "ko": "“안녕하세요!”라고 그가 말했다. 가격은 ₩5,000(약 10%)이다; 오전 10:30, 『책』·영화.",
    "ii": "“ꆈꌠꉙ!” ꄷ ꉬ。",
}
