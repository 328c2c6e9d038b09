import RelayAccess
import Testing

@testable import HeliographHost

@Suite("Host doctor") struct HostDoctorTests {
    @Test("what the daemon says of itself")
    func daemon() {
        func finding(_ text: String) -> Finding { HostDoctor.daemon(Array(text.utf8)) }
        let live = finding(#"{"link":{"state":"live","relay":"r"},"spool":{"events":0}}"#)
        #expect(live.state == .well && live.text == "it runs and is connected; nothing waits")
        let waiting = finding(#"{"link":{"state":"waiting","relay":"r"},"spool":{"events":3}}"#)
        #expect(
            waiting.state == .doubtful && waiting.text == "it runs and is not connected (waiting); 3 events wait to be sent")
        #expect(finding("").state == .doubtful && finding("{}").state == .doubtful)
    }

    @Test(
        "the agent's version, as it prints it",
        arguments: [
            ("2.1.329 (Claude Code)", Finding.State.well), ("2.1.0", .well), ("10.0", .well),
            ("2.0.99 (Claude Code)", .doubtful),
            ("1.9.9", .doubtful), ("", .doubtful), ("claude: error", .doubtful),
        ])
    func versions(_ line: String, _ state: Finding.State) {
        let finding = HostDoctor.claude(version: line)
        #expect(finding.state == state)
        #expect((finding.mend == nil) == (state == .well))
    }

    @Test("an agent that does not ask is no fault, and nobody would see an approval")
    func questions() {
        #expect(HostDoctor.questions(areAsked: true).state == .well)
        let silent = HostDoctor.questions(areAsked: false)
        #expect(silent.state == .doubtful && silent.text.contains("auto mode") && silent.mend?.contains("--ask Bash") == true)
    }
}
