import RelayProtocol
import Testing

@testable import HostCore

@Suite("What to look at twice in a request")
struct RequestRisksTests {
    private func risks(_ input: String, folder: String? = nil, target: String? = nil, writes: [String] = []) throws -> [String]
    {
        RequestRisks.of(
            try JSONDocument(parsing: Array(input.utf8)).root, writes: writes,
            paths: ShownPaths(home: "/home/ada", workingDirectory: folder), target: target)
    }

    @Test("is looked for wherever an input has a command, a file that is written, or an address")
    func fields() throws {
        #expect(try risks(#"{"command":"ls"}"#) == [])
        #expect(try risks(#"{"command":["rm","-rf","/"]}"#) == ["Deletes folders with all that is in them."])
        #expect(try risks(#"{"file_path":"/etc/hosts","content":"x"}"#) == [PathRisks.delicate])
        #expect(try risks(#"{"file_path":"/etc/hosts"}"#) == [])
        #expect(try risks(#"{"url":"http://x.example"}"#) == ["Not over an encrypted connection."])
        #expect(try risks(#"{"command":"ls","dangerouslyDisableSandbox":true}"#) == ["Runs outside the sandbox."])
        #expect(try risks(#""rm -rf /""#) == [])
        #expect(
            try risks("{}", folder: "/srv/shop", writes: ["/srv/shop/a", "/srv/b"]) == [
                "Outside the session's folder, /srv/shop."
            ])
    }

    @Test("a file that is written is found in every form in which agents name it")
    func forms() throws {
        for (tool, input) in [
            ("", #"{"content":[{"type":"diff","path":"/etc/x","oldText":null,"newText":"key"}]}"#),
            ("", #"{"filePath":"/etc/x","oldString":"","newString":"x"}"#),
            ("", #"{"target_file":"/etc/x","code_edit":"x"}"#), ("", #"{"source":"a","destination":"/etc/x"}"#),
            ("", #"{"tool":"edit","title":"t","file":"/etc/x","input":{"id":1}}"#),
            ("", #"{"calls":[{"tool":"read","title":"t"},{"tool":"edit","title":"t","input":{"path":"/etc/x","text":"y"}}]}"#),
            ("delete", #"{"path":"/etc/x"}"#), ("move", #"{"from":"/etc/x","to":"b"}"#),
            ("mcp__fs__write_file", #"{"path":"/etc/x"}"#), ("mcp__x__save", #"{"filename":"/etc/x","data":"k"}"#),
            ("mcp__fs__createFile", #"{"path":"/etc/x"}"#), ("rename", #"{"oldPath":"a","newPath":"/etc/x"}"#),
            ("", #"{"tool":"search_replace","kind":"edit","title":"t","file":"/etc/x"}"#),
            ("", #"{"id":1,"filesReported":["/srv/y","/etc/x"]}"#), ("copy", #"{"source":"a","destination":"/etc/x"}"#),
        ] {
            let root = try JSONDocument(parsing: Array(input.utf8)).root
            #expect(RequestRisks.of(root, of: tool, paths: ShownPaths(home: "/")) == [PathRisks.delicate], "\(tool) \(input)")
            #expect(RequestRisks.written(in: root, of: tool).contains("/etc/x"), "\(tool) \(input)")
        }
        for (tool, input) in [
            ("read", #"{"path":"/etc/x"}"#), ("mcp__mail__send", #"{"from":"a","to":"b"}"#), ("", #"{"from":"/etc/x"}"#),
            ("mcp__edit__read_file", #"{"path":"/etc/x"}"#), ("copy", #"{"source":"/etc/x","destination":"b"}"#),
        ] {
            let root = try JSONDocument(parsing: Array(input.utf8)).root
            #expect(RequestRisks.of(root, of: tool, paths: ShownPaths(home: "/")).isEmpty, "\(tool) \(input)")
        }
    }

    @Test("a command is found by each of its names, and in each of several calls")
    func commands() throws {
        for input in [
            #"{"cmd":"rm -rf ~"}"#, #"{"calls":[{"command":"ls"},{"command":"rm -rf ~"}]}"#,
            #"{"calls":[{"tool":"execute","title":"x","input":{"cmd":["rm","-rf","/"]}}]}"#,
        ] { #expect(try risks(input) == ["Deletes folders with all that is in them."], "\(input)") }
    }

    @Test("a file is judged by where it leads")
    func target() throws {
        let input = #"{"file_path":"/srv/shop/docs/x","content":"x"}"#
        #expect(try risks(input, folder: "/srv/shop") == [])
        #expect(
            try risks(input, folder: "/srv/shop", target: "/elsewhere/x") == ["Outside the session's folder, /srv/shop."])
    }

    @Test("a file is told of where it is delicate or outside the session's folder")
    func files() {
        func sentences(_ path: String) -> [String] { PathRisks.sentences(path, folder: ("/home/ada/shop", "~/shop")) }
        for path in ["/home/ada/shop/src/a.ts", "src/a.ts", "/home/ada/shop/environment", "/home/ada/shop/.github/a"] {
            #expect(sentences(path) == [], "\(path)")
        }
        for path in [
            "/home/ada/shop/.env", "/home/ada/shop/.env.local", "/home/ada/shop/.git/hooks/pre-commit",
            "/home/ada/shop/.git/config", "/home/ada/shop/.github/workflows/ci.yml",
            "/home/ada/shop/.claude/settings.json",
        ] { #expect(sentences(path) == [PathRisks.delicate], "\(path)") }
        let outside = "Outside the session's folder, ~/shop."
        for path in ["../other/a", "/home/ada/shop2/a", "/home/ada/shop/../x", "~/a", "/home/eve/shop/a"] {
            #expect(sentences(path) == [outside], "\(path)")
        }
        #expect(sentences("/etc/hosts") == [PathRisks.delicate, outside])
        #expect(sentences("/home/ada/.ssh/authorized_keys") == [PathRisks.delicate, outside])
    }

    @Test("an address is told of where it is not encrypted, near or carries a name")
    func addresses() {
        #expect(AddressRisks.sentences("https://docs.example.com/x") == [])
        #expect(AddressRisks.sentences("http://docs.example.com").count == 1)
        for near in [
            "https://localhost:3000", "https://192.168.0.1/x", "https://[::1]/", "https://169.254.169.254/latest",
            "https://0x7f.1/", "https://2130706433/", "https://db.internal./", "HTTPS:\\\\localhost/",
        ] { #expect(AddressRisks.sentences(near) == ["An address of a machine or a network of its own."], "\(near)") }
        #expect(
            AddressRisks.sentences("https://docs.example.com@evil.example/") == ["The address carries a name or a password."])
    }

    @Test("is at most eight sentences, each on one line")
    func bounded() throws {
        let all =
            "sudo rm -r a; pkill b; npm publish; reboot; nc x; dd of=/dev/sda; passwd; kubectl delete x; chown -R a b; git push -f"
        #expect(try risks(#"{"command":"\#(all)"}"#).count == WireLimits.risksMax)
        let folder = "/" + String(repeating: "long/", count: 500)
        let sentence = try risks(#"{"file_path":"/x","content":"x"}"#, folder: folder).first
        #expect((sentence?.utf8.count ?? 0) <= WireLimits.lineBytesMax)
    }
}
