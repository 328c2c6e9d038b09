import Foundation
import HeliographTestSupport

@testable import RelayProtocol

/// The JSON reader and all messages of the wire.
///
/// What we accept as JSON Foundation accepts with the same value, and a plain reader with the same places; what we refuse that refuses for the
/// same reason. What we carry on is JSON. What we decode and write again is decoded
/// once more, and says the same.
enum CodecTarget {
    /// Paths are looked for from the top for each node: of documents with more this would take all the time.
    private static let pathedNodesMax = 200

    static func run(_ input: [UInt8]) {
        require(
            (UTF8Check.firstInvalidByte(in: input.span) == nil) == (String(validating: input, as: UTF8.self) != nil),
            "our idea of UTF-8 is not the standard library's")
        compareWithPlain(input)
        guard let document = try? JSONDocument(parsing: input) else {
            require((try? HostMessage(parsing: input)) == nil, "a message was read from what is no JSON")
            return
        }
        checkTape(document)
        compareWithFoundation(document)
        let written = rewritten(document.root)
        guard let again = try? JSONDocument(parsing: written) else { fatalError("finding: what we write we do not read") }
        require(rewritten(again.root) == written, "a value changes when it is written and read")
        checkMessages(input)
    }

    // MARK: JSON

    private static func compareWithPlain(_ input: [UInt8]) {
        do throws(PlainJSON.Refusal) {
            let theirs = try PlainJSON.nodes(of: input)
            do throws(WireError) {
                let document = try JSONDocument(parsing: input)
                require(document.nodes.count == theirs.count, "another reader finds another number of values")
                for (index, their) in theirs.enumerated() {
                    let our = document.nodes[index]
                    require(
                        our.start == their.start && our.end == their.end && our.next == their.next && our.count == their.count
                            && our.isEscaped == their.isEscaped, "another reader finds node \(index) elsewhere")
                }
            } catch { fatalError("finding: we refuse what another reader accepts: \(error)") }
        } catch {
            do throws(WireError) {
                _ = try JSONDocument(parsing: input)
                fatalError("finding: we accept what another reader refuses: \(error)")
            } catch let ours {
                require(ours.code == error.code, "another reader refuses it for another reason: \(ours), \(error)")
            }
        }
    }

    private static func checkTape(_ document: JSONDocument) {
        for index in 0..<document.nodes.count {
            let node = document.nodes[index]
            require(node.start < node.end && node.end <= document.bytes.count, "node \(index) is outside of the text")
            require(node.next > index && node.next <= document.nodes.count, "node \(index) ends nowhere")
            let isContainer = node.kind == .object || node.kind == .array
            require(isContainer || node.next == index + 1, "node \(index) is a scalar with something in it")
            if document.nodes.count <= pathedNodesMax {
                require(document.path(to: index).hasPrefix("$"), "node \(index) has no path")
                let value = JSONValue(document: document, index: index)
                require((try? JSONDocument(parsing: Array(value.bytes))) != nil, "node \(index) is no JSON by itself")
            }
        }
    }

    private static func compareWithFoundation(_ document: JSONDocument) {
        // Foundation refuses numbers that no double holds; we refuse them when the number is read.
        let isFinite = (0..<document.nodes.count).allSatisfy { index in
            let node = document.nodes[index]
            guard node.kind == .number else { return true }
            return Double(String(decoding: document.bytes[node.start..<node.end], as: UTF8.self))?.isFinite == true
        }
        // A mark of byte order at the beginning of any string it leaves out.
        let hasMark = document.bytes.indices.contains { document.bytes[$0...].starts(with: [0xEF, 0xBB, 0xBF]) }
        guard isFinite, !hasMark else { return }
        do {
            let theirs = try JSONSerialization.jsonObject(with: Data(document.bytes), options: .fragmentsAllowed)
            require(isSame(document.root, theirs), "Foundation reads another value")
        } catch { fatalError("finding: Foundation refuses what we accept: \(error)") }
    }

    private static func isSame(_ ours: JSONValue, _ theirs: Any) -> Bool {
        switch ours.document.nodes[ours.index].kind {
        case .null: return theirs is NSNull
        case .true: return theirs as? Bool == true
        case .false: return theirs as? Bool == false
        case .number:
            guard let mine = try? ours.number(), let other = (theirs as? NSNumber)?.doubleValue else { return false }
            // Foundation turns a number of more than 17 digits into a decimal, and that into a double that is not always the
            // nearest.
            return abs(mine - other) <= abs(mine) * 1e-12
        case .string: return (try? ours.string()).map { Array($0.utf8) } == (theirs as? String).map { Array($0.utf8) }
        case .array:
            guard let mine = try? ours.array(), let others = theirs as? [Any], mine.count == others.count else { return false }
            return zip(mine, others).allSatisfy { isSame($0, $1) }
        case .object:
            guard let mine = try? ours.members(), let others = theirs as? [String: Any] else { return false }
            // Canonical equivalents are one key to a Swift dictionary, and two to us and to the wire.
            if Set(mine.map(\.key)).count < mine.count { return true }
            return mine.count == others.count
                && mine.allSatisfy { member in others[member.key].map { isSame(member.value, $0) } ?? false }
        }
    }

    /// The same value in our own spelling, except for numbers.
    private static func rewritten(_ value: JSONValue) -> [UInt8] {
        switch value.document.nodes[value.index].kind {
        case .null, .true, .false, .number: return Array(value.bytes)
        case .string: return JSONWriter.string((try? value.string()) ?? "")
        case .array: return JSONWriter.array(((try? value.array()) ?? []).map(rewritten))
        case .object:
            return JSONWriter.object { writer in
                for member in (try? value.members()) ?? [] { writer.raw(dynamic: member.key, rewritten(member.value)) }
            }
        }
    }

    // MARK: Messages

    private static func checkMessages(_ input: [UInt8]) {
        check("a host's message", (try? HostMessage(parsing: input))?.bytes) { bytes in try HostMessage(parsing: bytes).bytes }
        check("a client's message", (try? ClientMessage(parsing: input))?.bytes) { bytes in
            try ClientMessage(parsing: bytes).bytes
        }
        check("a message to a client", (try? MessageToClient(parsing: input))?.bytes) { bytes in
            try MessageToClient(parsing: bytes).bytes
        }
        check("a message to a host", (try? MessageToHost(parsing: input))?.bytes) { bytes in
            try MessageToHost(parsing: bytes).bytes
        }
        guard let event = try? Event(stored: input) else { return }
        require(event.bytes == input || (try? Event(stored: event.bytes)) != nil, "an event is not carried as it came")
        if case .unsupported = event.head { return }
        guard let again = try? Event(stored: Event(event.head, at: event.at).bytes) else {
            fatalError("finding: an event's head is refused as we write it")
        }
        require(again.head == event.head && again.at == event.at, "an event's head changes when it is written and read")
    }

    private static func check(_ name: String, _ written: [UInt8]?, _ again: ([UInt8]) throws -> [UInt8]) {
        guard let written else { return }
        do {
            require(try again(written) == written, "\(name) changes when it is written and read")
        } catch { fatalError("finding: \(name) is refused as we write it: \(error)") }
    }
}
