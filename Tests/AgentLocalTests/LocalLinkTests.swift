import HostCore
import RelayProtocol
import Testing

@testable import AgentLocal

@Suite("Own programs: links in the path of a file that is written")
struct LocalLinkTests {
    private static let write = #""kind":"tool","tool":"Write","input":{"path":"docs/x","content":"y"}"#

    private func bench() throws -> LocalBench {
        var bench = LocalBench()
        try bench.send(#"{"session":"s1","kind":"session.started","head":{"agent":{"name":"x"},"cwd":"/srv/shop"}}"#)
        return bench
    }

    @Test("where it leads is said, and that it is outside")
    func links() throws {
        for (links, risks) in [
            ([:], []),
            (
                ["docs/x": "/elsewhere/x"],
                ["A link leads from docs/x to /elsewhere/x: that is what changes.", "Outside the session's folder, /srv/shop."]
            ),
            (nil, ["Where links in the path lead could not be found out."]),
        ] as [([String: String]?, [String])] {
            var bench = try bench()
            bench.links = links
            try bench.ask("q1", Self.write)
            #expect(bench.requests.last?.head.risks == risks)
        }
    }

    @Test("a question that is settled before its links are found is not asked")
    func settled() throws {
        var bench = try bench()
        bench.findsLinks = false
        try bench.ask("q1", Self.write)
        try bench.settle("answeredElsewhere")
        for token in 1...3 { bench.tell(.own(.linksFound(HookToken(rawValue: UInt64(token)), [:]))) }
        #expect(bench.requests.isEmpty)
    }

    @Test("a question about no file does not wait")
    func other() throws {
        var bench = try bench()
        bench.findsLinks = false
        try bench.ask()
        #expect(bench.requests.count == 1)
    }
}
