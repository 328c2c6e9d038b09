import Foundation
import RelayProtocol
import Testing

@testable import LiveActivityKit

@Suite("Content state") struct ContentStateTests {
    @Test(
        "what the profile sends decodes with a decoder as it comes",
        arguments: [
            Fixtures.working, Fixtures.approval, Fixtures.question, Fixtures.done, Fixtures.failed, Fixtures.budget,
            Fixtures.aggregate, Fixtures.sealed,
        ])
    func decodes(json: String) throws {
        let state = try Fixtures.state(json)
        #expect(state.startedAt == began)
        // And again after ActivityKit has stored it.
        #expect(try JSONDecoder().decode(ContentState.self, from: JSONEncoder().encode(state)) == state)
    }

    @Test("each field arrives where it belongs")
    func fields() throws {
        let working = try Fixtures.state(Fixtures.working)
        #expect(working.status == .running)
        #expect(working.operation == "Editing APNsClient.swift")
        #expect(working.progress == Attributes.Progress(completed: 3, total: 7, current: "Fix token refresh race"))
        #expect(working.costMicroUSD == 413_200)
        #expect((working.operations, working.messages) == (12, 18))
        #expect(working.updatedAt == moment)
        let approval = try Fixtures.state(Fixtures.approval)
        #expect(approval.approval == Attributes.Approval(id: "req_91", tool: "Bash", summary: "swift test", isWhole: true))
        let aggregate = try Fixtures.state(Fixtures.aggregate)
        #expect(aggregate.sessions == 3)
        #expect(aggregate.approval?.session == "sess_7f3a")
        #expect(try Fixtures.attributes().session == "sess_7f3a")
        #expect(try Fixtures.attributes(Fixtures.aggregateAttributes).session == nil)
    }

    @Test("every status of the relay is one of ours, and one that came up later is unknown")
    func statuses() throws {
        for status in RelayProtocol.SessionStatus.allCases {
            #expect(LiveActivityKit.SessionStatus(rawValue: status.rawValue) != nil, "\(status.rawValue)")
        }
        let later = Fixtures.working.replacingOccurrences(of: "running", with: "dreaming")
        #expect(try Fixtures.state(later).status == .unknown)
    }

    @Test("fields that nobody knows, nulls and fractions do no harm")
    func lenience() throws {
        let json = """
            {"status":"running","operation":null,"approvals":0.0,"questions":0,"operations":1,"messages":1,"mood":{"a":[1]},
            "startedAt":816869666.25,"updatedAt":816870896}
            """
        let state = try Fixtures.state(json)
        #expect(state.operation == nil)
        #expect(state.startedAt.timeIntervalSince(began) == 0.25)
    }

    @Test("what is not a content state is refused rather than shown wrong")
    func refusals() {
        let withoutDate = Fixtures.working.replacingOccurrences(of: ",\"updatedAt\":816870896", with: "")
        #expect(throws: DecodingError.self) { try Fixtures.state(withoutDate) }
        let text = Fixtures.working.replacingOccurrences(of: "816870896", with: "\"2026-11-20T12:34:56Z\"")
        #expect(throws: DecodingError.self) { try Fixtures.state(text) }
    }
}
