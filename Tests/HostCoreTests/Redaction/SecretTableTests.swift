import Foundation
import HeliographTestSupport
import Testing

@testable import HostCore

/// Every known form of secret, each with texts that match and texts that do not.
@Suite("Table of secrets")
struct SecretTableTests {
    private let redactor = Redactor()

    // MARK: - By their look

    @Test("a token of each shape is hidden, a shorter one and a word that begins like it are not")
    func shapes() {
        var dice = SeededDice(seed: 3)
        for shape in SecretShape.table {
            for round in 0..<20 {
                let count = shape.lengthMin + round
                let token = "\(shape.prefix)" + Self.random(count, shape.alphabet, &dice)
                for text in [
                    "\(token)", "use \(token).", "a=\"\(token)\"", "x\\n\(token)", "\u{1B}[32m\(token)\u{1B}[0m",
                    "k%3D\(token)",
                ] {
                    #expect(
                        !redactor.redact(text: text).text.contains(token.dropLast(2).suffix(10)), "\(shape.prefix): \(text)")
                }
            }
            let word = "\(shape.prefix)" + String(repeating: "ab-", count: shape.lengthMin)
            #expect(redactor.redact(text: "see \(word) here").text == "see \(word) here", "\(shape.prefix)")
            let short = "\(shape.prefix)" + Self.random(min(9, shape.lengthMin - 1), .alphanumeric, &dice)
            #expect(redactor.redact(text: "see \(short) here").text == "see \(short) here", "\(shape.prefix)")
        }
    }

    private static func random(_ count: Int, _ alphabet: SecretShape.Alphabet, _ dice: inout SeededDice) -> String {
        let letters = Array(alphabet == .hexadecimal ? "0123456789abcdef" : "ABCDEFGHabcdefgh0123456789")
        // A piece that is long enough to look as if it was made by a machine.
        return "a1B2c3d4e5".lowercased().prefix(min(10, count))
            + String((0..<max(0, count - 10)).map { _ in letters.randomElement(using: &dice) ?? "0" })
    }

    // MARK: - By their place

    private static let value = "q7Xw2LpZ9aRt4KmN"
    static let positives: [String] = [
        "aws configure set aws_secret_access_key V", "aws configure set profile.x.aws_session_token V",
        "echo 'machine api.x.com login bob password V' >> ~/.netrc", "machine x\n  login bob\n  password V\n",
        "npm config set //registry.npmjs.org/:_authToken V", "//registry.npmjs.org/:_authToken=V",
        "gh secret set NAME --body V",
        "gh secret set NAME -b\"V\"", "echo V | docker login -u bob --password-stdin",
        "echo V | podman login --password-stdin x",
        "echo 'V' | sudo -S apt update", "echo V | passwd --stdin bob", "echo 'bob:V' | sudo chpasswd", "chpasswd <<< 'bob:V'",
        "printf '%s' V | gh auth login --with-token", "gh auth login --with-token <<< V", "htpasswd -b .htpasswd bob V",
        "htpasswd -nbB bob V", "psql -c \"CREATE USER bob WITH PASSWORD 'V'\"", "ALTER ROLE x LOGIN ENCRYPTED PASSWORD 'V';",
        "mysql -e \"ALTER USER 'bob'@'%' IDENTIFIED BY 'V'\"", "CREATE USER a IDENTIFIED WITH mysql_native_password BY 'V';",
        "SET PASSWORD FOR 'bob' = PASSWORD('V');", "nmcli dev wifi connect Home password V",
        "nmcli con modify x wifi-sec.psk V",
        "curl https://hooks.slack.com/services/T01234567/B0123456789/Vabcdefgh",
        "curl https://discord.com/api/webhooks/123456789012345678/V-V_V",
        "https://x.webhook.office.com/webhookb2/V@V/IncomingWebhook/V/V",
        "https://x.blob.core.windows.net/c/f?sv=2020&sp=r&sig=V%2FVV%3D", "https://b.s3.amazonaws.com/f?a=1&X-Amz-Signature=VV",
        "vault login V", "openssl enc -aes-256-cbc -k V -in a", "smbclient -U bob%V //h/s", "sqlcmd -S h -U sa -P V",
        "sshpass -pV ssh h",
        "git config --global github.token V", "rabbitmqctl add_user bob V", "mc alias set m http://h AK1 V", "unzip -P V a.zip",
        "7z x -pV a.7z", "ngrok config add-authtoken V", "kubectl create secret generic x --from-literal=password=V",
        "heroku config:set API_KEY=V", "fly secrets set DB_PASSWORD=V", "wget --http-password=V https://x",
        "curl --oauth2-bearer V https://x", "ansible-playbook x -e ansible_password=V", "xfreerdp /u:b /p:V /v:h",
        "lftp -u bob,V h",
        "docker run -e MYSQL_ROOT_PASSWORD=V x", "mysqladmin -u root password V", "net user bob V /add", "az login -u b -p V",
        "poetry config pypi-token.pypi V", "PrivateKey = VVV=", "ldapadd -w V", "curl -u bob:V x",
        "rclone config create s sftp pass V",
        "curl https://api.telegram.org/bot123456789:AAVVa/sendMessage", "dotnet user-secrets set Db:Password V",
        "security add-generic-password -a me -s x -w V", "cargo login V", "wpa_passphrase Home V", "redis-cli -h h AUTH V",
        "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEXV",
    ]

    @Test("a secret at a place of its own is hidden", arguments: positives)
    func places(text: String) {
        let secret = text.replacingOccurrences(of: "V", with: Self.value)
        #expect(!redactor.redact(text: secret).text.contains(Self.value))
    }

    @Test("a password that begins as a format of printf does is hidden, too")
    func percentSign() {
        #expect(!redactor.redact(text: "echo 'bob:%\(Self.value)' | sudo chpasswd").text.contains(Self.value))
    }

    @Test(
        "the same with a placeholder, a variable or a file for a value stays",
        arguments: positives.filter { !$0.contains("VV") && !$0.contains("AGE") })
    func placeholders(text: String) {
        for value in ["$V", "<V>", "${V}"] where !text.contains("hooks.") && !text.contains("/webhooks/") {
            let harmless = text.replacingOccurrences(of: "V", with: value)
            #expect(redactor.redact(text: harmless).text == harmless)
        }
    }
}
