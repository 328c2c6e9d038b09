import HeliographTestSupport
import RelayProtocol
import Testing

@testable import HeliographClient

struct TextTableTests {
    private let plain = Palette(isColoured: false)

    private var table: TextTable {
        var table = TextTable([.init("ID"), .init("TITLE", flexibleMin: 8), .init("N", alignsRight: true)])
        table.rows = [[.init("a"), .init("漢字漢字漢字漢字漢字"), .init("7")], [.init("bcd"), .init("short"), .init("10")]]
        return table
    }

    @Test func whatFitsIsAligned() {
        #expect(
            table.lines(width: nil, palette: plain) == [
                "ID   TITLE                  N", "a    漢字漢字漢字漢字漢字   7", "bcd  short                 10",
            ])
    }

    @Test func whatDoesNotFitIsCutBetweenCharacters() {
        let lines = table.lines(width: 20, palette: plain)
        #expect(lines == ["ID   TITLE         N", "a    漢字漢字漢…   7", "bcd  short        10"])
        #expect(lines.allSatisfy { DisplayWidth.of($0) <= 20 })
    }

    @Test func flexibleColumnsGiveWayOnlySoFar() {
        #expect(table.columnWidths(5) == [3, 8, 2])
    }

    @Test func coloursTakeNoRoom() {
        var table = TextTable([.init("A"), .init("B")])
        table.rows = [[.init("x", .alert), .init("y", .red)]]
        let lines = table.lines(width: nil, palette: Palette(isColoured: true))
        #expect(lines[1] == "\u{1B}[1;33mx\u{1B}[0m  \u{1B}[31my\u{1B}[0m")
    }

    @Test(arguments: [("abc", 3), ("漢字", 4), ("é", 1), ("e\u{301}", 1), ("👍🏽", 2), ("❤\u{FE0F}", 2), ("🇩🇪", 2), ("", 0)])
    func cells(_ text: String, _ width: Int) {
        #expect(DisplayWidth.of(text) == width)
    }

    @Test func wrappingLosesNothing() {
        let line = "abc漢字def👍🏽ghi"
        let pieces = DisplayWidth.wrap(line, to: 4)
        #expect(pieces.joined() == line)
        #expect(pieces.allSatisfy { DisplayWidth.of($0) <= 4 })
        #expect(DisplayWidth.wrap("", to: 4) == [""])
    }

    @Test func coloursAreForTerminalsUnlessSaidOtherwise() {
        func coloured(_ isTerminal: Bool, _ values: [String: String]) -> Bool {
            Palette(isTerminal: isTerminal, environment: Environment(values)).isColoured
        }
        #expect(coloured(true, [:]) && !coloured(false, [:]))
        #expect(!coloured(true, ["NO_COLOR": "1"]) && coloured(true, ["NO_COLOR": ""]))
        #expect(coloured(false, ["CLICOLOR_FORCE": "1"]) && !coloured(false, ["CLICOLOR_FORCE": "0"]))
        #expect(!coloured(true, ["CLICOLOR_FORCE": "1", "NO_COLOR": "1"]))
        #expect(!coloured(true, ["TERM": "dumb"]))
    }

    @Test func sessionsThatNeedSomebodyComeFirst() {
        let sessions = [
            Fixtures.summary(SessionID("idle")!, seq: 1) {
                $0.status = .idle; $0.lastActivityAt = 99
            },
            Fixtures.summary(SessionID("running-old")!, seq: 1) {
                $0.status = .running; $0.lastActivityAt = 1
            },
            Fixtures.summary(SessionID("running-new")!, seq: 1) {
                $0.status = .running; $0.lastActivityAt = 2
            },
            Fixtures.summary(SessionID("asks")!, seq: 1) {
                $0.status = .waitingAnswer; $0.questions = 1
            },
            Fixtures.summary(SessionID("done")!, seq: 1) {
                $0.status = .completed; $0.lastActivityAt = 100
            },
        ]
        #expect(
            SessionsTask.sorted(sessions).map(\.session.rawValue) == ["asks", "running-new", "running-old", "idle", "done"])
        let table = SessionsTask.table(sessions, names: [:], now: 61_000)
        #expect(table.rows[0].last?.text == "1 min")
    }

    @Test func whyASessionIsIdleIsSaidWhereItDoesNothing() {
        let idle = Fixtures.summary(SessionID("idle")!, seq: 1) {
            $0.status = .idle; $0.statusReason = "in the background: npm run dev"
        }
        let row = SessionsTask.table([idle], names: [:], now: 61_000).rows[0]
        #expect(row.contains { $0.text == "in the background: npm run dev" })
    }

    @Test func whatAnAgentGuessesIsMarkedAsAGuess() {
        func cost(_ known: Int64?, _ guess: Int64?) -> String {
            SessionsTask.cost(
                Fixtures.summary(SessionID("b")!, seq: 1) { ($0.costMicroUSD, $0.estimateMicroUSD) = (known, guess) })
        }
        #expect(cost(nil, nil) == "" && cost(500_000, nil) == "$0.50" && cost(0, 2_000_000) == "~$2.00 guessed")
        #expect(cost(500_000, 2_000_000) == "$0.50 + ~$2.00 guessed")
    }

    @Test func sessionsFitATerminalAndAreNotPaddedForAPipe() {
        var long = Fixtures.summary(SessionID("claude-d5120277aa")!, seq: 1) {
            $0.status = .waitingApproval
            $0.approvals = 12
            $0.costMicroUSD = 1_234_567_890
            $0.operation = "swift test --filter Everything"
            $0.todo = TodoProgress(completed: 10, total: 12)
        }
        long.hostIsConnected = false
        long.title = String(repeating: "a long title ", count: 200)
        let short = Fixtures.summary(SessionID("b")!, seq: 1) { $0.title = "short" }
        let table = SessionsTask.table([long, short], names: [long.session.rawValue: "claude-d5120"], now: 61_000)
        for width in [60, 80, 100, 132, 200] {
            let lines = table.lines(width: width, palette: plain)
            #expect(lines.allSatisfy { DisplayWidth.of($0) <= width }, "\(width): \(lines)")
            #expect(lines[0].hasPrefix("SESSION") && lines[0].contains("PENDING"), "\(width): \(lines[0])")
        }
        let piped = table.lines(width: nil, palette: plain)
        #expect(piped[1].contains(long.title!.dropLast()), "nothing is cut")
        #expect(DisplayWidth.of(piped[2]) < 200)
    }

    @Test(arguments: [
        (0, "$0.00"), (4_999, "<$0.01"), (1_234_567, "$1.23"), (1_995_000, "$2.00"), (12_000_000_000, "$12000.00"),
    ])
    func money(_ micro: Int64, _ text: String) {
        #expect(Moment.money(microUSD: micro) == text)
    }

    @Test func namesAreAsShortAsTheyCanBe() {
        #expect(
            ShortNames.shortest(of: ["toolu_01abcdef", "toolu_01abzzzz", "x", "other-one"])
                == ["toolu_01abcdef": "toolu_01abcd", "toolu_01abzzzz": "toolu_01abzz", "x": "x", "other-one": "other-one"])
        #expect(
            ShortNames.shortest(of: ["claude-d5120277aa", "claude-0e11"])
                == ["claude-d5120277aa": "claude-d51202", "claude-0e11": "claude-0e11"])
    }

    @Test func aWholeNameWinsOverLongerOnes() {
        let names = ["abc", "abcd", "abce", "x1"]
        func found(_ text: String) -> [String] {
            switch ShortNames.match(text, among: names, by: { $0 }) {
            case .none: []
            case .one(let name): [name]
            case .several(let names): names
            }
        }
        #expect(found("abc") == ["abc"])
        #expect(found("ab") == ["abc", "abcd", "abce"])
        #expect(found("x") == ["x1"])
        #expect(found("y") == [] && found("") == [])
    }

    @Test("where there is too little room, what says nothing goes first, then the flexible give, then the optional go")
    func leftOut() {
        var table = TextTable([
            .init("ID"), .init("TITLE", flexibleMin: 8), .init("DOING", flexibleMin: 4, isOptional: true), .init("NONE"),
        ])
        table.rows = [["a1", "a title of some length", "doing this"].map { .init($0) } + [.init("")]]
        #expect(table.columnWidths(44) == [2, 22, 10, 4])
        #expect(table.columnWidths(38) == [2, 22, 10, 0])
        #expect(table.columnWidths(30) == [2, 14, 10, 0])
        #expect(table.columnWidths(18) == [2, 8, 4, 0])
        #expect(table.columnWidths(17) == [2, 13, 0, 0])
        #expect(table.lines(width: 17, palette: Palette(isTerminal: false, environment: .process)).last == "a1  a title of s…")
    }
}
