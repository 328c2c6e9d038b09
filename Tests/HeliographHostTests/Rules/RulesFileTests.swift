import Glibc
import HeliographHook
import HostCore
import RelayProtocol
import Testing

@testable import HeliographHost
@testable import HostRules

@Suite("The owner's rules on disk, and what comes to them from afar")
struct RulesFileTests {
    private static let text = """
        # Mine.
        [[rule]]
        name = "tests"
        answer = "allow"
        for = "Bash(npm test)"
        """
    private static let added = """
        [[rule]]
        name = "looks"
        answer = "allow"
        for = ["Bash(ls)"]
        folder = "/home/me/site"
        """

    private let folder: HookFolder
    private let paths: HostPaths

    init() throws {
        let folder = try HookFolder()
        self.folder = folder
        paths = HostPaths { $0 == "XDG_CONFIG_HOME" ? folder.path : $0 == "HOME" ? "/nowhere" : nil }
        try Files.makePrivateDirectory(paths.configDirectory)
    }

    @Test("a rule may name every agent that the daemon has an adapter of, and no other")
    func agents() { #expect(RuleFile.agents == RegisteredAgents.all.filter { $0.daemon != nil }.map { $0.name }) }

    private var path: String { paths.configDirectory + "/rules.toml" }
    private func write(_ text: String) throws { try Files.replace(path, with: Array(text.utf8)) }
    private func read(_ name: String) throws -> String? {
        try Files.read(paths.configDirectory + "/" + name, bytesMax: 1 << 20).map { String(decoding: $0, as: UTF8.self) }
    }
    private func accepted() throws -> RulesFile {
        let file = RulesFile(paths)
        try file.accept(try #require(file.rules?.digest), again: [])
        return file
    }
    private func names(_ file: RulesFile) -> [String]? { file.rules?.standing.rules.map(\.name) }

    @Test("a file that cannot be read is told from none and from one without rules")
    func toldApart() throws {
        for (text, isUnreadable) in [(nil, false), ("", false), ("[[rule]]\nanswer = 'perhaps'", true), (Self.text, false)] {
            if let text { try write(text) }
            let file = RulesFile(paths)
            #expect((file.rules == nil) == (text == nil || isUnreadable))
            #expect(file.isUnreadable == isUnreadable, "\(text ?? "no file")")
        }
    }

    @Test("a rule that is off stays off over restarts and edits, until it is named again")
    func off() throws {
        try write(Self.text)
        try accepted().switchOff("tests")
        #expect(try read("rules.off") == "tests\n" && read("rules.toml") == Self.text)
        #expect(names(RulesFile(paths)) == [] && RulesFile(paths).rules?.isAccepted == true)
        try write(Self.text + "\n")
        let file = try accepted()
        #expect(names(file) == [], "what nobody named is not brought back")
        try file.switchOff("other")
        try file.accept(try #require(file.rules?.digest), again: ["tests"])
        #expect(try names(file) == ["tests"] && read("rules.off") == "other\n")
        try file.accept(try #require(file.rules?.digest), again: ["other"])
        #expect(try read("rules.off") == nil)
    }

    private static let denying = "[[rule]]\nname = \"no-push\"\nanswer = \"deny\"\nfor = \"Bash(git push:*)\"\n"

    @Test("what was accepted and keeps agents back does so until its owner has accepted another file, or that there is none")
    func former() throws {
        try write(Self.text + "\n" + Self.denying)
        let file = try accepted()
        #expect(names(file) == ["tests", "no-push"] && file.problem == nil)
        try write(Self.text)
        #expect(names(file) == ["tests", "no-push"] && names(RulesFile(paths)) == ["tests", "no-push"], "over a restart")
        #expect(file.rules?.isAccepted == false && file.problem?.contains("still holds") == true)
        try write("[[rul")
        #expect(names(file) == ["no-push"] && file.isUnreadable && file.problem != nil)
        try Files.remove(path)
        #expect(names(file) == ["no-push"] && !file.isUnreadable && file.problem?.contains("is gone") == true)
        #expect(throws: SpoolError.self) { try file.add(Self.added, by: "phone", at: 0) }
        #expect(try read("rules.toml") == nil)
        try RulesCall.accept("none", again: [], paths: paths)
        #expect(names(file) == nil && file.problem == nil)
        try write(Self.text)
        #expect(names(try accepted()) == ["tests"])
        #expect(throws: HostError.self) { try file.acceptNone() }
    }

    @Test("a digest that an earlier version kept alone gets its text")
    func earlier() throws {
        try write(Self.denying)
        let digest = try #require(RulesFile(paths).rules?.digest)
        try Files.replace(paths.configDirectory + "/rules.accepted", with: Array((digest.rawValue + "\n").utf8))
        #expect(RulesFile(paths).rules?.isAccepted == true)
        #expect(try read("rules.accepted") == digest.rawValue + "\n" + Self.denying)
        try write("")
        #expect(names(RulesFile(paths)) == ["no-push"])
    }

    @Test("with a list of what is off that cannot be read nothing is allowed")
    func unreadable() throws {
        try write(Self.text)
        let file = try accepted()
        #expect(names(file) == ["tests"])
        try Files.makePrivateDirectory(paths.configDirectory + "/rules.off")
        #expect(names(file) == [] && file.isUnreadable && file.problem != nil)
        #expect(throws: SpoolError.self) { try file.switchOff("tests") }
    }

    @Test("a rule stands in the place of another, accepted, and only in a file that its owner has accepted")
    func change() throws {
        try write(Self.text)
        let file = try accepted()
        try file.change("tests", to: Self.added, by: "Ada's\nphone", at: 1_800_000_000_000)
        let now = try #require(try read("rules.toml"))
        #expect(now.hasPrefix("# Mine.\n# Changed from afar by Ada's") && now.hasSuffix(Self.added))
        #expect(names(RulesFile(paths)) == ["looks"] && RulesFile(paths).rules?.isAccepted == true)
        #expect(throws: SpoolError.self) { try file.change("tests", to: Self.added, by: "Ada", at: 0) }
        try write(now + "\n")
        #expect(throws: SpoolError.self) { try RulesFile(paths).change("looks", to: Self.text, by: "Ada", at: 0) }
        #expect(try read("rules.toml") == now + "\n")
    }

    @Test("a rule is added behind what its owner wrote, and counts at once")
    func add() throws {
        try write(Self.text)
        let file = try accepted()
        try file.add(Self.added, by: "Ada's\nphone", at: 1_800_000_000_000)
        let now = try #require(try read("rules.toml"))
        #expect(now.hasPrefix(Self.text + "\n# Added from afar by Ada's") && now.hasSuffix("\n" + Self.added + "\n"))
        #expect(now.split(separator: "\n").count == Self.text.split(separator: "\n").count + 6, "the name begins no line")
        #expect(names(file) == ["tests", "looks"] && names(RulesFile(paths)) == ["tests", "looks"])
        #expect(RulesFile(paths).rules?.isAccepted == true)
    }

    @Test("the first rule makes the file")
    func first() throws {
        let file = RulesFile(paths)
        try file.add(Self.added, by: "phone", at: 0)
        #expect(names(file) == ["looks"] && file.rules?.isAccepted == true)
    }

    @Test(
        "what is not exactly one rule, or changes another, is refused, and nothing is written",
        arguments: [
            "", "# nothing", "folder = \"/\"", added + "\n" + added.replacing("looks", with: "more"),
            added.replacing("looks", with: "tests"), added.replacing("Bash(ls)", with: "Bash(*)"),
            "until = \"2030-01-01\"\n" + added,
            "]", added + "\nfor = \"Bash(*)\"",
        ])
    func others(_ text: String) throws {
        try write(Self.text)
        let file = try accepted()
        #expect(throws: SpoolError.self) { try file.add(text, by: "phone", at: 0) }
        #expect(try read("rules.toml") == Self.text && names(file) == ["tests"])
    }

    @Test("nothing is added to a file that its owner has not accepted, and so none is accepted by it")
    func unaccepted() throws {
        try write(Self.text)
        _ = try accepted()
        try write(Self.text.replacing("npm test", with: "npm run *"))
        let file = RulesFile(paths)
        #expect(throws: SpoolError.self) { try file.add(Self.added, by: "phone", at: 0) }
        #expect(file.rules?.isAccepted == false)
    }

    @Test("after a crash between the two writes nothing is allowed until the owner has looked")
    func crash() throws {
        try write(Self.text)
        let file = try accepted()
        let before = try #require(try read("rules.accepted"))
        try file.add(Self.added, by: "phone", at: 0)
        try Files.replace(paths.configDirectory + "/rules.accepted", with: Array(before.utf8))
        #expect(RulesFile(paths).rules?.isAccepted == false)
    }

    @Test("a file that is a link answers nothing, and nothing is added to it")
    func link() throws {
        let target = folder.path + "/elsewhere.toml"
        try Files.replace(target, with: Array(Self.text.utf8))
        let linked = unsafe symlink(target, path)
        #expect(linked == 0)
        let file = RulesFile(paths)
        #expect(file.rules == nil && file.problem != nil)
        #expect(throws: SpoolError.self) { try file.add(Self.added, by: "phone", at: 0) }
        #expect(try Files.read(target, bytesMax: 1 << 20) == Array(Self.text.utf8))
    }
}
