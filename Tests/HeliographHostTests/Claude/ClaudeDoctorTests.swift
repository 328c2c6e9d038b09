import RelayAccess
import Testing

@testable import HeliographHost

@Suite("Claude Code's part of the doctor") struct ClaudeDoctorTests {
    @Test(
        "the agent's version, as it prints it",
        arguments: [
            ("2.1.326 (Claude Code)", Finding.State.well), ("2.1.332", .well), ("10.0", .well),
            ("2.1.325 (Claude Code)", .doubtful), ("2.0.99", .doubtful),
            ("1.9.9", .doubtful), ("", .doubtful), ("claude: error", .doubtful),
        ])
    func versions(_ line: String, _ state: Finding.State) {
        let finding = ClaudeDoctor.program(version: line)
        #expect(finding.state == state)
        #expect((finding.mend == nil) == (state == .well))
    }

    @Test("an agent that does not ask is no fault, and nobody would see an approval")
    func questions() {
        #expect(ClaudeDoctor.questions(areAsked: true).state == .well)
        let silent = ClaudeDoctor.questions(areAsked: false)
        #expect(silent.state == .doubtful && silent.text.contains("auto mode") && silent.mend?.contains("--ask Bash") == true)
    }
}
