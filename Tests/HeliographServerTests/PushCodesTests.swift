import Foundation
import PushPlanner
import RelayCore
import RelayProtocol
import Testing

@testable import HeliographServer

@Suite struct PushCodesTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    private func codes(_ epoch: Epoch = epoch) -> PushCodes {
        PushCodes(directory: folder.path, epoch: epoch, logger: silent)
    }

    @Test func `a code names its push, also after a restart`() throws {
        let code = try codes().code(of: PushID(rawValue: 7))
        #expect(code.wholeMatch(of: /7\.[A-Za-z0-9_-]{22}/) != nil)
        #expect(try codes().push(ofCode: code) == PushID(rawValue: 7))
        #expect(try codes().code(of: PushID(rawValue: 7)) == code)
        #expect(try folder.mode("push-secret") == 0o600)
    }

    @Test func `whatever else is shown is none`() throws {
        let codes = codes()
        let code = try codes.code(of: PushID(rawValue: 7))
        let tag = code.dropFirst(2)
        let other = try codes.code(of: PushID(rawValue: 8)).dropFirst(2)
        let wrong = [
            "", ".", "7", "7.", tag.description, "8.\(tag)", "7.\(other)", "07.\(tag)", "+7.\(tag)", "-7.\(tag)", " 7.\(tag)",
            "7.\(tag)A", "7.\(tag.dropLast())", "7.\(tag)=", "7.\(tag.lowercased()).", "0.\(tag)",
            "9223372036854775808.\(tag)", "7.\(String(repeating: "A", count: 22))",
        ]
        for code in wrong { #expect(try codes.push(ofCode: code) == nil, "\(code)") }
    }

    @Test func `a code says whose push it names, to a node that cannot say whether it is right`() throws {
        func workspace(_ number: Int64) throws -> Int64? {
            PushCodes.workspace(ofCode: try codes().code(of: PushID(rawValue: number)))
        }
        #expect(try workspace(7) == 0 && workspace(1 << 32 - 1) == 0)
        #expect(try workspace(3 << 32 + 7) == 3)
        #expect(try workspace(JSONValue.integerMax) == PushNumbers.workspaceMax)
        let tag = String(repeating: "A", count: 22)
        #expect(PushCodes.workspace(ofCode: "12884901895.\(tag)") == 3, "whoever has made the tag")
        let malformed = [
            "", ".", "7", "7.", ".\(tag)", "0.\(tag)", "-7.\(tag)", "+7.\(tag)", "07.\(tag)", " 7.\(tag)", "7.\(tag)A",
            "7.\(tag)=",
            "7.7.\(tag)", "7.\(tag.dropLast())", "9007199254740992.\(tag)", "9223372036854775808.\(tag)",
        ]
        for code in malformed { #expect(PushCodes.workspace(ofCode: code) == nil, "\(code)") }
    }

    @Test func `a code of a workspace's own number names its push`() throws {
        let push = PushID(rawValue: PushNumbers.workspaceMax << 32 + 7)
        #expect(try codes().push(ofCode: codes().code(of: push)) == push)
    }

    @Test func `another life of the log, or another relay, knows nothing of it`() throws {
        let code = try codes().code(of: PushID(rawValue: 7))
        #expect(try codes(Epoch("life2")!).push(ofCode: code) == nil)
        let elsewhere = try Folder()
        #expect(try PushCodes(directory: elsewhere.path, epoch: epoch, logger: silent).push(ofCode: code) == nil)
    }

    @Test func `a damaged secret is replaced, and what was made with it is void`() throws {
        let code = try codes().code(of: PushID(rawValue: 7))
        try folder.write("push-secret", "short")
        #expect(try codes().push(ofCode: code) == nil)
        #expect(try codes().push(ofCode: codes().code(of: PushID(rawValue: 7))) == PushID(rawValue: 7))
    }

    @Test func `a code fills its place and no text that looks like it`() throws {
        let json =
            #"{"aps":{"alert":{"title":"CODE","body":"say \"code\":\"CODE\""}},"heliograph":{"code":"CODE","kind":"approval"}}"#
        let filled = try #require(codes().fill(Array(json.utf8), with: "7.x"))
        let value = try JSONDocument(parsing: filled).root
        #expect(try value.required("heliograph").string("code") == "7.x")
        #expect(try value.required("heliograph").string("kind") == "approval")
        let alert = try value.required("aps").required("alert")
        #expect(try alert.string("title") == "CODE")
        #expect(try alert.string("body") == #"say "code":"CODE""#)
        #expect(codes().fill(Array(#"{"code":"other"}"#.utf8), with: "7.x") == nil)
    }
}
