import RelayProtocol
import Testing

@Suite struct ToolWordsTests {
    @Test(arguments: [
        ("Bash", "Bash", ToolDeed.run(tool: "Bash")), ("ExitPlanMode", "a plan", .plan),
        ("AskUserQuestion", "a question", .question),
        ("mcp__github__create_issue", "create_issue of github", .use(tool: "create_issue", server: "github")),
    ])
    func `a tool is told in words`(tool: String, name: String, deed: ToolDeed) {
        #expect(ToolWords.name(tool) == name)
        #expect(ToolWords.deed(tool) == deed)
    }

    @Test(arguments: [
        "mcp__a__b__c", "mcp__a", "mcp____b", "mcp__a__", "mcp__a___b", "mcp__a b__c", "mcp__a__\u{430}", "", "a__b__c",
    ])
    func `what may be two tools, or is none of a server, stands as it is`(tool: String) {
        #expect(ToolWords.name(tool) == tool)
        #expect(ToolWords.deed(tool) == .run(tool: VisibleText.exactLine(tool)))
    }
}
