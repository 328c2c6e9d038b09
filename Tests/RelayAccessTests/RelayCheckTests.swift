import Testing

@testable import RelayAccess

@Suite("Relay check") struct RelayCheckTests {
    private func findings(_ body: String, now: Int64 = 100_000) -> [Finding] {
        RelayCheck.findings(in: Array(body.utf8), now: now)
    }

    @Test("a relay that knows a host, or a client, at the same time")
    func well() {
        let body =
            #"{"host":{"id":"h","name":"laptop"},"workspace":{"id":"w","name":"x"},"software":"heliograph/1","at":99000}"#
        #expect(
            findings(body) == [
                Finding("Pairing", .well, "the relay (heliograph/1) knows it as laptop"),
                Finding("Clock", .well, "it agrees with the relay's"),
            ])
        #expect(findings(body.replacing("host", with: "client")).map(\.state) == [.well, .well])
    }

    @Test(
        "a clock that is apart says by how much, and which way",
        arguments: [(Int64(107_000), "7 s ahead of"), (90_000, "9 s behind")])
    func clock(_ now: Int64, _ words: String) {
        let body =
            #"{"host":{"id":"h","name":"laptop"},"workspace":{"id":"w","name":"x"},"software":"heliograph/1","at":99999}"#
        let clock = findings(body, now: now).last
        #expect(clock?.state == .doubtful && clock?.text == "it is \(words) the relay's" && clock?.mend != nil)
    }

    @Test("an older relay, or something else, is doubtful", arguments: ["", "{}", #"{"client":{"id":"c","name":"n"}}"#, "[]"])
    func other(_ body: String) {
        #expect(findings(body).map(\.state) == [.doubtful])
    }
}
