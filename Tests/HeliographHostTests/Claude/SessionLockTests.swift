import Testing

@testable import HeliographHost

@Suite("One program of ours for a session of Claude Code")
struct SessionLockTests {
    private let folder: HookFolder

    init() throws { folder = try HookFolder() }

    private func take(_ session: String, within wait: Duration = .zero) throws(HostError) -> SessionLock {
        try SessionLock.take(session, within: wait, state: folder.path + "/state", claude: folder.path)
    }

    @Test("Of two that start together one has it, until it lets go; other sessions are not concerned")
    func once() throws {
        let first = try take("s1")
        do throws(HostError) {
            _ = try take("s1", within: .milliseconds(60))
            Issue.record("two have it")
        } catch { #expect(error.code == .sessionOpen) }
        let other = try take("s2")
        _ = consume first
        _ = try take("s1")
        _ = consume other
        #expect(folder.names("state") == ["runs.lock"] && folder.mode("state/runs.lock").map { $0 & 0o777 } == 0o600)
    }
}
