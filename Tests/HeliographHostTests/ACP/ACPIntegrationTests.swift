import RelayAccess
import Testing

@testable import HeliographHost

@Suite("Agents behind heliograph acp") struct ACPIntegrationTests {
    @Test("what was not run here is said of an agent whose program is found, and nothing of others")
    func doctor() {
        #expect(ACPIntegration.findings { _ in false }.isEmpty)
        let found = ACPIntegration.findings { ["vibe-acp", "opencode", "gemini"].contains($0) }
        #expect(found.map(\.subject) == ["Mistral Vibe", "opencode", "Gemini CLI"])
        #expect(found.map(\.state) == [.well, .doubtful, .doubtful])
        #expect(found.map { $0.text.contains("not run here") } == [false, true, true])
        #expect(found[1].text.contains("`heliograph acp -- opencode acp`"))
    }
}
