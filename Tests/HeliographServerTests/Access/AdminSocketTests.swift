import Testing

@testable import HeliographServer

struct AdminSocketTests {
    @Test func `the command line finds the relay in its data directory`() {
        #expect(AdminSocket(in: "/data").path == "/data/relay.sock")
    }
}
