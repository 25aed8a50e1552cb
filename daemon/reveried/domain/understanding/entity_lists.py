"""The closed lists behind the rules for entities: short, for what they do not know is found by how it stands."""

FIRST_NAMES = frozenset(
    """
    Ada Adam Ahmed Aisha Alan Alex Alice Amanda Amir Amy Ana Andrea Andrew Anna Anne Anton Arjun Barbara Ben Bob
    Boris Brian Carla Carlos Carol Catherine Charles Charlotte Chen Chris Claire Clara Dana Daniel David Diana Diego
    Dmitri Edward Elena Elizabeth Ella Emily Emma Eric Erik Eva Fatima Felix Fiona Frank George Grace Greta Hannah
    Hans Harry Helen Henry Hugo Ian Ines Irene Isabel Ivan Jack James Jan Jane Jennifer Jessica Joan Johan John
    Jonas Jose Joseph Juan Julia Karen Karl Kate Ken Kevin Laura Lea Lena Leo Lin Linda Lisa Louis Lucas Lucy Luis
    Maria Marie Mark Marta Martin Mary Matthew Max Mei Mia Michael Miguel Mike Mohammed Monica Nadia Nancy Nick Nina
    Noah Nora Olga Oliver Omar Oscar Pablo Patricia Paul Pedro Peter Philip Priya Rachel Ravi Rebecca Richard Rita
    Robert Rosa Ruth Sam Sandra Sara Sarah Sergei Simon Sofia Sonia Stefan Stephen Steve Susan Tanya Theo Thomas Tim
    Tina Tom Tomas Uma Vera Victor Viktor Wei William Yuki Yusuf Zoe
    """.split()
)
PLACES = frozenset(
    """
    Africa Amsterdam Asia Athens Australia Austria Bangkok Barcelona Beijing Belgium Berlin Boston Brazil Brussels
    Budapest Cairo California Canada Chicago Chile China Copenhagen Denmark Dublin Edinburgh Egypt England Europe
    Finland Florence France Geneva Germany Ghana Greece Hamburg Helsinki Hungary India Indonesia Ireland Israel
    Istanbul Italy Japan Kenya Kyoto Lagos Lisbon London Lyon Madrid Manchester Melbourne Mexico Milan Montreal
    Moscow Mumbai Munich Nairobi Netherlands Nigeria Norway Oslo Paris Peru Poland Porto Portugal Prague Rome Russia
    Scotland Seattle Seoul Singapore Spain Stockholm Sweden Switzerland Sydney Taipei Texas Tokyo Toronto Turkey
    Ukraine Valencia Vancouver Vienna Vietnam Wales Warsaw Zurich
    """.split()
) | {"New York", "San Francisco", "Los Angeles", "South Africa", "New Zealand", "United Kingdom", "United States"}
PRODUCTS = frozenset(
    """
    Android Angular Ansible Chrome Claude Debian Django Docker Excel Figma Firefox Flask Git GitHub GitLab Gmail Go
    Grafana iPhone JavaScript Jenkins Jira Kafka Kotlin Kubernetes Linux macOS Markdown MongoDB Nginx Node Notion
    Obsidian Outlook Postgres PostgreSQL Prometheus Python React Redis Ruby Rust Slack SQLite Swift Terraform
    TypeScript Ubuntu Vim Windows Zoom
    """.split()
)
ORGANIZATIONS = frozenset(
    """
    Amazon Anthropic Apple Google IBM Intel Meta Microsoft Mozilla NASA Netflix Nvidia OpenAI Oracle Siemens Sony
    Spotify Tesla Toyota UNESCO WHO
    """.split()
)
ORGANIZATION_ENDS = frozenset(
    """
    Academy AG Agency Association Bank BV Club College Commission Committee Company Corp Corporation Council
    Department Foundation GmbH Group Hospital Inc Industries Institute Laboratories Labs LLC Ltd Ministry Museum
    Partners School Society Software Studio Studios Systems Team Technologies Union University
    """.split()
)
EVENT_ENDS = frozenset(
    """
    Championship Con Conference Congress Convention Cup Day Expo Fair Festival Games Hackathon Marathon Meetup
    Olympics Retreat Summit Symposium War Week Workshop
    """.split()
)
PLACE_ENDS = frozenset(
    """
    Avenue Bay Beach Bridge City County Island Islands Lake Mountain Mountains Park Province River Road Sea Square
    Station Street Valley
    """.split()
)
TITLES = frozenset(
    """
    Aunt Captain Dr Judge Lady Mr Mrs Ms President Prof Professor Sir Uncle
    """.split()
)
CALENDAR = frozenset(
    """
    AM Apr April ASAP Aug August Chinese Dec December English Feb February French Fri Friday FYI German I I'd I'll
    I'm I've Italian Jan January Japanese Jul July Jun June Mar March May Mon Monday Nov November Oct October OK PM
    Portuguese Q1 Q2 Q3 Q4 Russian Sat Saturday Sep Sept September Spanish Sun Sunday Thu Thursday TODO Tue Tuesday
    Wed Wednesday
    """.split()
)
