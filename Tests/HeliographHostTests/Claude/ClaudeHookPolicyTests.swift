import Foundation
import Testing

@testable import HeliographHost

@Suite("Claude Code's settings by which no hook of ours runs")
struct ClaudeHookPolicyTests {
    private static let ours = #""hooks":{"Stop":[{"hooks":[{"type":"command","command":"/x/heliograph hook claude Stop"}]}]}"#

    /// The behaviour of the real 2.1.329 in each case.
    @Test(
        "what counts, and which file counts first",
        arguments: [
            ("", "", "", nil),
            ("", "", #""disableAllHooks":true"#, "disableAllHooks"),
            ("", "", #""disableAllHooks":"yes""#, "disableAllHooks"),
            ("", "", #""disableAllHooks":"false""#, nil),
            ("", "", #""disableAllHooks":null"#, nil),
            ("", #""disableAllHooks":false"#, #""disableAllHooks":true"#, nil),
            ("", #""disableAllHooks":true"#, "", "disableAllHooks"),
            (#""disableAllHooks":false"#, "", #""disableAllHooks":true"#, nil),
            (#""disableAllHooks":true"#, "", "", "disableAllHooks"),
            (#""allowManagedHooksOnly":true"#, "", "", "allowManagedHooksOnly"),
            (#""allowManagedHooksOnly":true,"# + ours, "", "", nil),
            (#""strictPluginOnlyCustomization":["skills","hooks"]"#, "", "", "strictPluginOnlyCustomization"),
            (#""strictPluginOnlyCustomization":["skills"]"#, "", "", nil),
            (#""strictPluginOnlyCustomization":true"#, "", "", "strictPluginOnlyCustomization"),
            // The person's own settings do not count.
            ("", "", #""allowManagedHooksOnly":true"#, nil),
        ] as [(String, String, String, String?)])
    func obstacles(_ managed: String, _ project: String, _ user: String, _ named: String?) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "policy-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func file(_ name: String, _ settings: String) throws -> String {
            let path = folder.appending(path: name)
            try Data("{\(settings)}".utf8).write(to: path)
            return path.path
        }
        let policy = ClaudeHookPolicy(
            managed: [try file("managed", managed), folder.path + "/none"],
            own: [try file("project", project), try file("user", user)])
        #expect(policy.obstacle.map { $0.words.contains(named ?? "nothing") } == named.map { _ in true })
        #expect((ClaudeDoctor.obstacle(policy) == nil) == (named == nil))
    }
}
