import Foundation
import RelayProtocol
import Testing

/// Files of the repository that say what the table says. `make wire` writes them.
@Suite("The wire's table and the files made from it")
struct WireFilesTests {
    private static let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let page = top.appending(path: "web/wire.d.ts")
    private static let document = top.appending(path: "Sources/HeliographServer/HeliographServer.docc/Protocol.md")
    private static let writes = ProcessInfo.processInfo.environment["HELIOGRAPH_WIRE"] == "write"

    private func hold(_ file: URL, _ text: String) throws {
        if Self.writes { try Data(text.utf8).write(to: file) }
        let isSame = try String(contentsOf: file, encoding: .utf8) == text
        #expect(isSame, "\(file.lastPathComponent) does not say what the table says: run `make wire`")
    }

    @Test("the page's types are those of the table")
    func pageTypes() throws { try hold(Self.page, WireTypeScript.text) }

    @Test("the protocol document names every field of every message, head and object")
    func protocolDocument() throws {
        let document = WireDocument(try String(contentsOf: Self.document, encoding: .utf8))
        let messages = WireMessage.Direction.allCases.flatMap { direction in
            WireTable.messages(direction).map { "\(direction.rawValue) \($0.type)" }
        }
        let objects =
            "ANSWER APPROVAL BUDGET BUDGET-REPORT CHANGE COST-REPORT COST-SHARE DECISION DEVICE DEVICE-SHOWN DEVICE-STATE EVENT ME ME-HOST NTFY-DEVICE PAIRED PAIRED-PAGE PAIRING PICTURE PUSH PUSH-DOCUMENT QUESTION RECEIVER-DEVICE REGISTERED REGISTERING REVOCATION REVOKED SUMMARY TOKEN WEB-DEVICE"
            .split(separator: " ").map(String.init)
        let kinds = EventKind.allCases.map(\.rawValue)
        #expect(document.rows.sorted() == (messages + kinds + objects).sorted())
        try hold(Self.document, document.text)
    }

    @Test("the schema is JSON, names nothing that it does not define, and defines each message and head")
    func schema() throws {
        let root = try JSONDocument(parsing: Schema.json).root
        let defined = Set(try root.object("$defs").members().map(\.key))
        let text = String(decoding: Schema.json, as: UTF8.self)
        let named = Set(text.matches(of: /"\$ref":"#\/\$defs\/([^"]*)"/).map { String($0.output.1) })
        #expect(named.subtracting(defined) == [])
        for direction in WireMessage.Direction.allCases {
            for message in WireTable.messages(direction) { #expect(defined.contains("\(direction.rawValue).\(message.type)")) }
        }
        #expect(WireTable.http.allSatisfy { defined.contains($0.name ?? "") })
        #expect(EventKind.allCases.allSatisfy { defined.contains("head.\($0.rawValue)") })
    }
}
