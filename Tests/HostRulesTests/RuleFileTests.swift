import HostRules
import Testing

private let head = "[[rule]]\nname = \"a\"\nanswer = \"allow\"\n"

private let wrong: [(String, String)] = [
    ("[rule]", "line 1: the only table is `[[rule]]`"), ("name = 'x'", "line 1: `name` stands before the first `[[rule]]`"),
    ("[[rule]]\nnme = 'x'", "line 2: `nme` is no key of a rule"), ("[[rule]]\n\nname 'x'", "line 3: `name` has no `=`"),
    ("[[rule]]\nname = x", "line 2: a string in quotes was expected"),
    ("[[rule]]\nname = 'x", "line 2: a string does not end"),
    ("[[rule]]\nname = 'x\n'", "line 2: a string does not end on its line"),
    ("[[rule]]\nname = 'x' y", "line 2: something follows that does not belong there"),
    ("[[rule]]\nname = 'x'\nname = 'y'", "line 3: `name` is set twice"),
    ("[[rule]]\nname = '''x'''", "line 2: strings of several lines are not read"),
    ("[[rule]]\nfor = ['x' 'y']", "line 2: an array does not end"), ("[[rule]]\n", "line 1: the rule has no `name`"),
    ("[[rule]]\nname = 'a b'", "line 2: a name has letters, digits, `-`, `_` and `.`, at most 64"),
    ("[[rule]]\nname = 'a'\nanswer = 'yes'", "line 3: `answer` is allow, deny, ask or passkey"),
    (head, "line 1: the rule has no `for`"),
    ("\(head)for = 'ls'\nwords = 'x'", "line 5: `words` are for a rule that denies, at most 500 bytes"),
    ("\(head)for = 'ls'\nfolder = 'x'", "line 5: `folder` is absolute or begins with `~/`"),
    ("\(head)for = 'ls'\nhours = '9-17'", "line 5: `hours` are like \"09:00-18:00\""),
    ("\(head)for = 'ls'\nuntil = 'soon'", "line 5: `until` is a day, like \"2026-12-24\""),
    ("\(head)for = 'ls'\ntimes = 0", "line 5: `times` is for a rule that allows, from 1 to 10000"),
    ("\(head)for = 'ls'\ntimes = 99999999999999999999", "line 5: `times` is for a rule that allows, from 1 to 10000"),
    ("\(head)for = 'ls'\ntimes = '3'", "line 5: a number was expected"),
    (
        "[[rule]]\nname = 'a'\nanswer = 'deny'\nfor = 'ls'\ntimes = 3",
        "line 5: `times` is for a rule that allows, from 1 to 10000"
    ), ("[[rule]]\nname = 3", "line 2: a string in quotes was expected"),
    ("\(head)for = 'ls'\nagent = 'x'", "line 5: `agent` is claude, codex or local"),
    ("\(head)for = 'ls'\n" + "\(head)for = 'ls'", "line 5: a second rule is called `a`"),
]

/// `rules.toml`: the accepted content, and faults with their places.
@Suite struct RuleFileTests {
    private func problem(_ text: String) -> String? {
        do throws(RuleError) {
            _ = try RuleBook(parsing: text)
            return nil
        } catch { return error.description }
    }

    @Test func aWholeRuleIsRead() throws {
        let text = """
            # Mine
            [[rule]]   # one
            name = 'quick'
            answer = "deny"
            for = [
              "Bash(rm:*)",   # never
              'Edit(~/x "y")',
            ]
            words = "Say \\"please\\"."
            folder = "~/site"
            agent = "codex"
            hours = "09:00-17:30"
            until = "2026-12-24"
            """
        let rule = try #require(RuleBook(parsing: text.replacing("\n", with: "\r\n")).rules.first)
        #expect(rule.name == "quick" && rule.answer == .deny && rule.words == "Say \"please\".")
        #expect(rule.patterns.map(\.text) == ["Bash(rm:*)", "Edit(~/x \"y\")"])
        #expect(rule.folder == "~/site" && rule.agent == "codex" && rule.until == "2026-12-24")
        #expect(rule.hours == RuleHours(begin: 540, end: 1050))
    }

    @Test(arguments: wrong)
    func whatIsWrongIsNamedWithItsLine(text: String, sentence: String) {
        #expect(problem(text) == sentence)
    }

    @Test(arguments: [
        "Bash", "Bash(*)", "Bash(:*)", "Bash(* --version)", "Bash(n* test)", "Bash(ls; pwd)", "Bash(ls $X)", "Bash(ls > x)",
        "Bash(ls",
        "Bash()", "Edit", "Read", "Write", "WebFetch", "*", "mcp__*", "mcp__a*", "Edit(/src)", "Edit(../x)", "Edit(~me/x)",
        "Edit(a?)",
        "Edit()", "WebFetch(example.com)", "WebFetch(domain:*)", "WebFetch(domain:com)", "Grep(x)", "a b", "Monitor",
        "PowerShell",
    ])
    func patternsThatWouldAllowTooMuchAreRefused(pattern: String) {
        #expect(problem("\(head)for = ['\(pattern)']")?.hasPrefix("line 4: ") == true)
    }

    @Test(arguments: ["Bash", "Bash(*)", "Bash(* --force)", "Edit", "*", "mcp__*", "WebFetch"])
    func aRuleThatDeniesMaySayEverything(pattern: String) {
        #expect(problem("[[rule]]\nname = 'a'\nanswer = 'deny'\nfor = '\(pattern)'") == nil)
    }
}
