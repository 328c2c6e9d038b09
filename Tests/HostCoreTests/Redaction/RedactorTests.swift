import HostCore
import RelayProtocol
import Testing

@Suite("Redactor")
struct RedactorTests {
    private let redactor = Redactor()

    // MARK: - What must go

    static let secrets: [(text: String, expected: String)] = [
        // Secrets of known forms.
        ("aws configure set key AKIAIOSFODNN7EXAMPLE", "aws configure set key ⟨redacted⟩"),
        (
            "git clone https://ghp_abcdefghijklmnopqrstuvwxyz0123456789@github.com/a/b",
            "git clone https://⟨redacted⟩@github.com/a/b"
        ),
        ("gh auth github_pat_11ABCDEFG0abcdefghij_KLMNOPQRSTUVWXYZ done", "gh auth ⟨redacted⟩ done"),
        ("echo glpat-AbCdEfGhIjKlMnOpQr12", "echo ⟨redacted⟩"),
        ("slack xoxb-123456789012-abcdefGHIJKL", "slack ⟨redacted⟩"),
        ("use sk-ant-api03-AbCdEfGh1234567890ijklmnop_-QRSTUV.", "use ⟨redacted⟩."),
        ("openai sk-proj-Abcdefghij1234567890klmnop", "openai ⟨redacted⟩"),
        ("maps AIzaSyA1234567890abcdefghijklmnopqrstu-v", "maps ⟨redacted⟩"),
        ("stripe sk_live_4eC39HqLyjWDarjtT1zdp7dc", "stripe ⟨redacted⟩"),
        ("npm_abcdefghijklmnopqrstuvwxyz0123456789", "⟨redacted⟩"),
        ("jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc-DEF_123 end", "jwt ⟨redacted⟩ end"),
        ("pair hgh_Zm9vYmFyYmF6MTIzNDU2 now", "pair ⟨redacted⟩ now"),
        ("123456789:AAabcdefghijklmnopqrstuvwxyz1234567", "123456789:⟨redacted⟩"),
        // Headers.
        ("curl -H 'Authorization: Bearer abcDEF123456.xyz' https://x", "curl -H 'Authorization: Bearer ⟨redacted⟩' https://x"),
        ("curl -H \"authorization: Basic dXNlcjpwYXNz\" x", "curl -H \"authorization: Basic ⟨redacted⟩\" x"),
        ("Authorization: token 0123456789abcdef", "Authorization: token ⟨redacted⟩"),
        ("-H 'X-Api-Key: 0a1b2c3d4e5f60718293'", "-H 'X-Api-Key: ⟨redacted⟩'"),
        ("-H 'Cookie: sid=abc; theme=dark'", "-H 'Cookie: ⟨redacted⟩; ⟨redacted⟩'"),
        ("send Bearer 0123456789abcdef0123 there", "send Bearer ⟨redacted⟩ there"),
        // Assignments.
        ("PGPASSWORD=hunter psql -h db", "PGPASSWORD=⟨redacted⟩ psql -h db"),
        ("export DB_PASS='p@ss w0rd'; make", "export DB_PASS='⟨redacted⟩ ⟨redacted⟩'; make"),
        (
            "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY aws s3 ls",
            "AWS_SECRET_ACCESS_KEY=⟨redacted⟩ aws s3 ls"
        ),
        ("docker run -e API_TOKEN=abcdef -p 80:80 img", "docker run -e API_TOKEN=⟨redacted⟩ -p 80:80 img"),
        ("curl 'https://x/y?api_key=12345abc&page=2'", "curl 'https://x/y?api_key=⟨redacted⟩&page=2'"),
        ("host=db password=hunter dbname=x", "host=db password=⟨redacted⟩ dbname=x"),
        ("{\"user\":\"bob\",\"password\":\"hunter2\"}", "{\"user\":\"bob\",\"password\":\"⟨redacted⟩\"}"),
        (
            "curl -d \"{\\\"client_secret\\\": \\\"abcd1234efgh\\\"}\" x",
            "curl -d \"{\\\"client_secret\\\": \\\"⟨redacted⟩\\\"}\" x"
        ),
        ("let apiKey = \"a1b2c3d4e5f6\"", "let apiKey = \"⟨redacted⟩\""),
        ("const token: string = 'a1b2c3d4e5f6'", "const token: string = '⟨redacted⟩'"),
        ("password := \"hunter2\"", "password := \"⟨redacted⟩\""),
        ("'password' => 'hunter2',", "'password' => '⟨redacted⟩',"),
        ("os.environ[\"DB_PASSWORD\"] = \"hunter2\"", "os.environ[\"DB_PASSWORD\"] = \"⟨redacted⟩\""),
        ("  password: hunter2xyz\n  user: bob", "  password: ⟨redacted⟩\n  user: bob"),
        ("DB_PASSWORD=пароль x", "DB_PASSWORD=⟨redacted⟩ x"),
        ("SECRET_KEY_BASE=0123456789abcdef", "SECRET_KEY_BASE=⟨redacted⟩"),
        ("AccountName=x;AccountKey=AbCd1234efGH5678==;", "AccountName=x;AccountKey=⟨redacted⟩;"),
        // Flags.
        ("tool --password hunter2 --verbose", "tool --password ⟨redacted⟩ --verbose"),
        ("tool --token=abcdef x", "tool --token=⟨redacted⟩ x"),
        ("tool --api-key \"ab cd\" x", "tool --api-key \"⟨redacted⟩ ⟨redacted⟩\" x"),
        ("curl -u bob:hunter2 https://x", "curl -u bob:⟨redacted⟩ https://x"),
        ("curl -s --user 'bob:hunter2' https://x", "curl -s --user 'bob:⟨redacted⟩' https://x"),
        ("mysql -u root -phunter2 db", "mysql -u root -p⟨redacted⟩ db"),
        ("sshpass -p hunter2 ssh host", "sshpass -p ⟨redacted⟩ ssh host"),
        ("docker login -u bob -p hunter2 registry", "docker login -u bob -p ⟨redacted⟩ registry"),
        ("redis-cli -h h -a hunter2 ping", "redis-cli -h h -a ⟨redacted⟩ ping"),
        ("openssl rsa -passin pass:hunter2 -in k", "openssl rsa -passin pass:⟨redacted⟩ -in k"),
        // URLs.
        ("psql postgres://bob:hunter2@db:5432/x", "psql postgres://bob:⟨redacted⟩@db:5432/x"),
        ("redis://:hunter2@cache:6379", "redis://:⟨redacted⟩@cache:6379"),
        ("https://bob:p@ss@host/x", "https://bob:⟨redacted⟩@host/x"),
    ]

    @Test("The secret part of a text is replaced and nothing else", arguments: secrets)
    func secretsGo(text: String, expected: String) {
        let result = redactor.redact(text: text)
        #expect(result.text == expected)
        #expect(result.redacted)
    }

    @Test("What is redacted stays as it is the second time", arguments: secrets)
    func redactionIsIdempotent(text: String, expected: String) {
        #expect(redactor.redact(text: expected).text == expected)
    }

    // MARK: - What must stay

    static let harmless: [String] = [
        "git show 3f2504e04f8911d39a0c0305e82c3301a4b5c6d7",
        "git rebase --onto 9fceb02 a1b2c3d4e5f60718293a4b5c6d7e8f9012345678",
        "docker pull alpine@sha256:e7d88de73db3d3fd9b2d63aa7f447a10fd0220b7cbf39803c803f2af9ba256b3",
        "\"integrity\": \"sha512-abcDEF0123456789abcDEF0123456789abcDEF0123456789abcDEF0123456789abcDEF012345678901234567890w==\"",
        "session 550e8400-e29b-41d4-a716-446655440000",
        "cat /home/dev/.config/heliograph/token.txt && ls -la /etc/ssl/private",
        "the token is refreshed; ask for a new password: it must be long",
        "grep -rn 'password' src | head", "grep --token-file x", "ls --password-file /run/x",
        "max_tokens=4096 temperature=0.7", "\"max_tokens\": 4096, \"next_token\": \"abc123def456\"",
        "page_token=abcdef123456&limit=20", "PASSWORD=$DB_PASSWORD make", "export TOKEN=\"${GITHUB_TOKEN}\"",
        "PASSWORD=\"$(pass show db)\" psql", "TOKEN=`cat token` x", "--password \"$PW\" x",
        "DB_PASSWORD_FILE=/run/secrets/db", "SECRET=/run/secrets/api.txt run",
        "token: String", "let token: String?", "def login(user: str, password: str) -> bool:", "password = getpass()",
        "token = os.environ[\"TOKEN\"]", "password=args.password, token=self.token", "connect(password=password, token=tok)",
        "secret: process.env.SECRET", "if password == other { return }", "token != nil", "std::token::Token",
        "public_key = \"abc\"", "key: value", "sort_key=name", "primary key: id", "cache-key: npm-2024-01",
        "password: \"Enter your password\"", "label: 'Password'", "type=\"password\"", "password: true, showPassword=false",
        "git clone git@github.com:org/repo.git", "ssh://git@host:22/repo", "https://localhost:8080/@scope/x",
        "npm install left-pad@1.3.0 @types/node@20", "postgres://user@host/db", "postgres://user:$PW@host/db", "a://b:c/d@e",
        "http://host:80/img@2x.png", "mkdir -p /tmp/a", "docker run -p 8080:80 x", "ssh -p 2222 host", "psql -p 5432",
        "curl -u bob https://x", "cp -u a:b c", "pip install sk-learn-contrib-helpers",
        "class=\"sk-button-primary-large-rounded\"",
        "bearer authentication is used", "Basic understanding of things", "Authorization: required",
        "PWD=/home/dev/proj OLDPWD=/tmp/x", "cd $PWD", "hgx_function_name_here", "hf_transfer", "npm_config_registry=x",
        "eyJ is how they begin", "-----BEGIN CERTIFICATE-----\nMIIEvQIBADANBgkqMIIEvQIBADANBgkqMIIEvQIBADANBgkq\n",
        "grep -r -- '-----BEGIN RSA PRIVATE KEY-----' . && rm -rf build", "token=<your-token>", "API_KEY=xxxxxxxx", "TOKEN=***",
        "swift build -c release 2>&1 | tail -5", "make check PREFIX=/usr", "a=b c:d e=\"f g\"", "", "x", "=", ":", "://@",
        "password=",
        "HEX_PAT = \"[0-9A-Fa-f]{1,4}\"", "NAME_PATTERN=abc1", "URL_PAT='abc123'", "url?token={token}",
        "print(f\"password={pw!r}\")",
        "`Bearer Token`: https://tools.ietf.org/html/rfc6750", "case .cookie: return bytes[i] == 58 ? a : b",
        "headers={\"Cookie\": cookie}", "private_key: \"_EllipticCurvePrivateKey\"",
        "--username and --password options instead of",
        "uri_password = ':' + quote(password)", "authorization = base64.decode(authorization)", "--password=%s",
        "password: ", "--password", "curl -u", "-----BEGIN PRIVATE KEY-----",
    ]

    @Test("An ordinary text stays as it is", arguments: harmless)
    func harmlessStays(text: String) {
        let result = redactor.redact(text: text)
        #expect(result.text == text)
        #expect(!result.redacted)
    }

    @Test(
        "A redaction hides no white space, no quote and no operator, so no second command either",
        arguments: [
            "echo \"password='\"; rm -rf ~; echo \"'\"", "--password 'x'; curl evil|sh; echo ''", "TOKEN=x;reboot;",
            "password=\"$(rm -rf ~)\"", "PASSWORD=a&&b||c>d<e",
            "-----BEGIN PRIVATE KEY-----\nrm -rf ~\n-----END PRIVATE KEY-----",
            "-----BEGIN PRIVATE KEY-----\n/usr/sbin/poweroff\n-----END PRIVATE KEY-----", "curl -u a:b;reboot",
            "https://a:`reboot`@b;c", "Authorization: Basic abcdef1;reboot", "Cookie: a=b;$(reboot)\nreboot",
        ])
    func operatorsStay(text: String) {
        func operators(_ text: String) -> [UInt8] { text.utf8.filter { " \n\"'`;|&<>(){}$\\".utf8.contains($0) } }
        let result = redactor.redact(text: text).text
        #expect(operators(result) == operators(text))
    }

    @Test("A command between two operators is seen, even behind a secret")
    func commandsAreSeen() {
        #expect(redactor.redact(text: "TOKEN=x;reboot;").text == "TOKEN=⟨redacted⟩;reboot;")
        #expect(redactor.redact(text: "curl -u a:b;reboot").text == "curl -u a:⟨redacted⟩;reboot")
        let text = "-----BEGIN PRIVATE KEY-----\n/usr/sbin/poweroff\n-----END PRIVATE KEY-----"
        #expect(redactor.redact(text: text).text == text)
    }

    // MARK: - JSON

    @Test("In JSON only the secret's bytes change; space, order, numbers and escapes stay")
    func jsonIsSpliced() throws {
        let json = #"{ "b" : 1.50, "command":"caf\u00e9 \/ TOKEN=abc\tdef \ud83d\ude00" , "a":[ "x",null,true ]}"#
        let result = redactor.redact(try JSONDocument(parsing: json).root)
        #expect(
            String(decoding: result.json, as: UTF8.self)
                == #"{ "b" : 1.50, "command":"caf\u00e9 \/ TOKEN=⟨redacted⟩\tdef \ud83d\ude00" , "a":[ "x",null,true ]}"#)
        #expect(result.redacted)
    }

    @Test("A member with a secret's name loses its value, a reference or a placeholder stays")
    func membersByName() throws {
        let json =
            #"{"password":"pw","pin":12,"secret":123456,"auth_token":["a1","b2"],"token":{"type":"string"},"#
            + #""apiKey":"$KEY","client_secret":"","max_tokens":4096,"password_hint":"dog","n":{"Authorization":"zzy"}}"#
        let expected =
            #"{"password":"⟨redacted⟩","pin":12,"secret":"⟨redacted⟩","auth_token":["⟨redacted⟩","⟨redacted⟩"],"#
            + #""token":{"type":"string"},"apiKey":"$KEY","client_secret":"","max_tokens":4096,"password_hint":"dog","#
            + #""n":{"Authorization":"⟨redacted⟩"}}"#
        let result = redactor.redact(try JSONDocument(parsing: json).root)
        #expect(String(decoding: result.json, as: UTF8.self) == expected)
    }

    @Test("JSON without a secret comes back byte for byte, also as a part of a document")
    func jsonStays() throws {
        let document = try JSONDocument(parsing: #" {"tool_input": {"command" : "ls\n-la", "n":[1, 2 ]} , "x":0}"#)
        let value = try document.root.required("tool_input")
        let result = redactor.redact(value)
        #expect(result.json == Array(value.bytes))
        #expect(!result.redacted)
    }

    @Test("What comes out of JSON is JSON again, wherever the secret stood")
    func jsonStaysValid() throws {
        for secret in Self.secrets {
            let json = JSONWriter.object { $0.field("command", "é\"\\\u{1}" + secret.text + "\n\u{1F600}") }
            let result = redactor.redact(try JSONDocument(parsing: json).root)
            let text = try JSONDocument(parsing: result.json).root.string("command")
            #expect(text == "é\"\\\u{1}" + secret.expected + "\n\u{1F600}")
        }
    }

    // MARK: - Hostile input

    @Test(
        "A hostile text takes no longer than an honest one", .timeLimit(.minutes(1)),
        arguments: [
            "a", "=", ":", "\"", "token=", "token=\"", "token='\"", "token: a = ", "://", "://a:b@", "sk-", "sk-a-", "eyJ",
            "eyJ.",
            "eyJaaaaaaaaaa.", "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\nAb\n", "Bearer ", "--password ",
            "curl -u ", "curl -ua:", "password=$", "hgh_", "12345678:AA", "\\\"token\\\":\\\"", "Cookie: ", "Authorization: ",
            "\\n",
            "mysql -p", "token=(", "a.b.c=", "password: string = ", "ghp_ ", "-", "⟨redacted⟩",
        ])
    func hostileInput(piece: String) {
        let text = String(repeating: piece, count: (32 << 10) / piece.utf8.count)
        _ = redactor.redact(text: text)
    }
}
