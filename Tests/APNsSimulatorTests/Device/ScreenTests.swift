import APNsSimulator
import Testing

@Suite("The screen of a device") struct ScreenTests {
    static func kind(_ island: Screen.Island) -> String {
        switch island {
        case .empty: "empty"
        case .compact: "compact"
        case .minimal: "minimal"
        case .expanded: "expanded"
        }
    }

    @Test("an alert expands the island for a moment; then it is compact, and gone while its app is on the screen")
    func island() {
        let rig = Rig()
        #expect(Self.kind(rig.screen.island) == "empty")
        _ = rig.push(.pushToStart, rig.start())
        #expect(Self.kind(rig.screen.island) == "expanded")
        rig.wait(5000)
        #expect(Self.kind(rig.screen.island) == "compact")
        rig.onPhone { $0.bringToForeground(Rig.bundle, at: $1) }
        #expect(Self.kind(rig.screen.island) == "empty")
        #expect(rig.card != nil, "the Lock Screen keeps it")
    }

    @Test("two apps share the island, and the more relevant card comes first")
    func two() throws {
        let rig = Rig()
        rig.simulator.register(app: "com.example.epic", .init(team: "TEAM"))
        rig.onPhone { phone, now in
            phone.install(InstalledApp(bundle: "com.example.epic", activityTypes: [KnownApp.epic.activityTypes]), at: now)
            _ = phone.startActivity(
                "SessionActivityAttributes",
                attributes: Array(try! GoldenTests.bytes(.epic, "attributes").utf8),
                contentState: Array(try! GoldenTests.bytes(.epic, "working").utf8), of: "com.example.epic", at: now)
            _ = phone.startActivity(
                CodingBridge.attributesType, attributes: Array(Rig.attributes.utf8), contentState: Array(Rig.working.utf8),
                of: Rig.bundle, at: now)
        }
        let token = try #require(rig.simulator.allTokens.first { $0.kind == .activityUpdate && $0.bundle == Rig.bundle })
        let body = rig.change(extra: #","relevance-score":100"#)
        rig.send(rig.request(to: token.token, type: "liveactivity", body: body))
        #expect(Self.kind(rig.screen.island) == "minimal")
        #expect(rig.screen.lockScreen.count == 2)
        #expect(rig.card?.bundle == Rig.bundle)
    }

    @Test("notifications of one thread lie on one stack, the newest on top")
    func stacks() {
        let rig = Rig()
        for (text, thread) in [("one", "a"), ("two", "b"), ("three", "a")] {
            rig.now += 1000
            rig.send(rig.alert(#"{"alert":"\#(text)","thread-id":"\#(thread)"}"#))
        }
        let stacks: [Screen.Stack] = rig.screen.lockScreen.compactMap {
            if case .notifications(let stack) = $0 { stack } else { nil }
        }
        #expect(stacks.map(\.top.body) == ["three", "two"])
        #expect(stacks.map(\.count) == [2, 1])
    }

    @Test("it is JSON for the page, with the payload that really came")
    func json() throws {
        let rig = Rig()
        rig.startCard()
        rig.send(rig.alert())
        let text = String(decoding: rig.screen.json, as: UTF8.self)
        #expect(text.contains(#""kind":"card""#))
        #expect(text.contains(#""symbol":"gear""#))
        #expect(text.contains(#""body":"Run: swift test""#))
        #expect(text.contains(#""island":[{"kind":"expanded""#))
    }
}
