import Foundation
import RelayProtocol
import Testing

@testable import HeliographServer

@Suite("The file of receivers") struct ReceiversTests {
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    private func receivers(_ entries: String) throws(WireError) -> Receivers {
        try Receivers(parsing: Array(#"{"receivers":[\#(entries)]}"#.utf8), file: "receivers.json")
    }

    @Test("a program gets what is listed for it, and its own words come before the relay's")
    func program() throws {
        let entry = try #require(
            try receivers(
                #"{"name":"mail","program":["/bin/cat","a b"],"environment":{"A":"1"},"inherits":["A","B","C"],"workspaces":["w1"]}"#
            ).entries.first)
        guard case .program(let program) = entry.way else {
            Issue.record("no program")
            return
        }
        #expect(program.command == ["/bin/cat", "a b"] && program.seconds == 20)
        #expect(program.variables(of: ["A": "2", "B": "3", "D": "4"]) == ["A": "1", "B": "3"])
        #expect(entry.workspaces == [WorkspaceID("w1")!])
        #expect(
            try receivers(#"{"name":"mail","program":["/bin/cat"]}"#).entries.first?.workspaces == [WorkspaceID("default")!])
    }

    @Test(
        "what cannot work is refused by its place",
        arguments: [
            (#"{"program":["/bin/cat"]}"#, "$.receivers[0].name"), (#"{"name":"a"}"#, "$.receivers[0].program"),
            (#"{"name":"a","program":[]}"#, "$.receivers[0].program"),
            (#"{"name":"a","program":["cat"]}"#, "$.receivers[0].program"),
            (#"{"name":"a","program":["/nowhere/x"]}"#, "$.receivers[0].program[0]"),
            (#"{"name":"a","program":["/bin/cat","a\u0000b"]}"#, "$.receivers[0].program[1]"),
            (#"{"name":"a","program":["/bin/cat"],"seconds":121}"#, "$.receivers[0].seconds"),
            (#"{"name":"a","program":["/bin/cat"],"inherits":["A B"]}"#, "$.receivers[0].inherits"),
            (#"{"name":"a","program":["/bin/cat"],"url":"x"}"#, "$.receivers[0].program"),
            (#"{"name":"a","program":["/bin/cat"],"secret":"x"}"#, "$.receivers[0].secret"),
            (#"{"name":"a","url":"https://a.example/x"}"#, "$.receivers[0].secret"),
            (#"{"name":"a","url":"https://a.example/x","secret":"whsec_AAAA"}"#, "$.receivers[0].secret"),
            (#"{"name":"a","url":"http://a.example/x","secret":"\#(ReceiversTests.secret)"}"#, "$.receivers[0].url"),
            (#"{"name":"a","url":"https://10.0.0.7/x","secret":"\#(ReceiversTests.secret)"}"#, "$.receivers[0].url"),
            (
                #"{"name":"a","url":"https://a.example/x","secret":"\#(ReceiversTests.secret)","address":"b"}"#,
                "$.receivers[0].address"
            ),
            (#"{"name":"a","program":["/bin/cat"]},{"name":"a","program":["/bin/cat"]}"#, "$.receivers[1].name"),
        ])
    func bad(_ entries: String, _ place: String) {
        let error = #expect(throws: WireError.self) { try receivers(entries) }
        #expect(error?.path == place)
    }

    @Test("a workspace is told of its own receivers alone")
    func workspaces() throws {
        let all = try receivers(
            #"{"name":"mail","program":["/bin/cat"]},{"name":"lamp","program":["/bin/cat"],"workspaces":["w1","w2"]}"#)
        #expect(all.fault(in: Receiver("mail"), of: WorkspaceID("default")!) == nil)
        #expect(all.fault(in: Receiver("lamp"), of: WorkspaceID("w2")!) == nil)
        let fault = all.fault(in: Receiver("lamp"), of: WorkspaceID("default")!)
        #expect(fault?.path == "$.device.receiver.name" && fault?.message.hasSuffix("it has: mail") == true)
        #expect(all.fault(in: Receiver("mail"), of: WorkspaceID("w3")!)?.message.hasSuffix("it has none") == true)
    }
}
