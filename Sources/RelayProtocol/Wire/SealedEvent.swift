/// An event as its host sends it if content is sealed: a head with the fields that the relay needs, and the whole event encrypted
/// for the host's devices.
///
/// `WireTable` says which fields stay readable. Unknown fields are sealed, and so is the head of an unknown kind.
package struct SealedEvent: Sendable {
    /// The plain event, sealed, in base64url.
    package var sealed: String
    /// The session's new sealed line; nil if it is unchanged.
    package var line: String?
    /// Wrapped keys, for an offer of the session that represents its host.
    package var wraps: [KeyWrap]?
    /// The signed part, for a request that can be decided with a signature.
    package var consent: RequestConsent?

    package init(_ sealed: String, line: String? = nil, wraps: [KeyWrap]? = nil, consent: RequestConsent? = nil) {
        (self.sealed, self.line, self.wraps, self.consent) = (sealed, line, wraps, consent)
    }

    /// Encodes the event for the wire. `alias` replaces names that clients use in commands.
    package func bytes(of event: Event, alias: @escaping (String) -> String) -> [UInt8] {
        JSONWriter.object { writer in
            writer.field("kind", event.head.kind)
            writer.field("at", event.at)
            writer.object("head") { head in
                Self.writeHead(of: event, to: &head, alias: alias)
                if let consent { head.object("consent") { consent.write(to: &$0) } }
                guard case .steeringOffered(let offer) = event.head, offer.consent != nil else { return }
                head.field("seals", true)
                if let wraps { head.array("wraps", wraps.map(\.bytes)) }
                head.field("sealed", sealed)
            }
            writer.object("body") { $0.field("sealed", sealed) }
            writer.field("line", line)
        }
    }

    /// Writes the head as the relay reads it, without the fields that only a sealed offer has.
    private static func writeHead(of event: Event, to writer: inout JSONWriter, alias: @escaping (String) -> String) {
        guard let kind = event.head.knownKind, let fields = heads[kind],
            let head = try? JSONDocument(parsing: event.bytes).root.object("head")
        else { return }
        Stripping(alias: alias).write(head, fields, to: &writer)
    }

    private static let heads = Dictionary(
        uniqueKeysWithValues: EventKind.allCases.map { ($0, WireTable.head($0).fields) })
}

private struct Stripping {
    let alias: (String) -> String

    /// Writes the members according to their side in the table.
    func write(_ object: JSONValue, _ fields: [WireField], to writer: inout JSONWriter) {
        guard let members = try? object.members() else { return }
        for field in fields {
            guard let side = field.side, let value = members.first(where: { $0.key == field.name })?.value, !value.isNull,
                let json = stripped(value, field, side, members)
            else { continue }
            writer.raw(dynamic: field.name, json)
        }
    }

    private func stripped(
        _ value: JSONValue, _ field: WireField, _ side: WireSide, _ siblings: [(key: String, value: JSONValue)]
    ) -> [UInt8]? {
        switch side {
        case .head: known(value, field.type)
        case .sealed, .added: nil
        case .standIn(let text): JSONWriter.string(text)
        case .named(let other):
            (try? value.string()).flatMap { WireSide.reasons.contains($0) ? $0 : other }.map(JSONWriter.string)
        case .alias: aliased(value)
        case .places:
            (try? value.array()).map { list in JSONWriter.array(list.indices.map { JSONWriter.string("\($0 + 1)") }) }
        case .same(let other): siblings.first { $0.key == other }.map { Array($0.value.bytes) }
        case .parts: parts(value, field.type)
        }
    }

    /// The value without members that the table does not know.
    private func known(_ value: JSONValue, _ type: WireType) -> [UInt8]? {
        switch type.shape {
        case .object(let object):
            guard let members = try? value.members() else { return nil }
            return JSONWriter.object { writer in
                for (name, value) in members {
                    if let field = object[name], let json = known(value, field.type) { writer.raw(dynamic: name, json) }
                }
            }
        case .list(let element, _):
            return (try? value.array()).map { list in JSONWriter.array(list.compactMap { known($0, element) }) }
        case .flag, .integer, .text, .pattern, .word, .openWord:
            return value.isObject || value.isArray ? nil : Array(value.bytes)
        case .either, .event, .fields: return nil
        }
    }

    private func aliased(_ value: JSONValue) -> [UInt8]? {
        if let name = try? value.string() { return JSONWriter.string(alias(name)) }
        return (try? value.array()).map { list in JSONWriter.array(list.compactMap { aliased($0) }) }
    }

    private func parts(_ value: JSONValue, _ type: WireType) -> [UInt8]? {
        switch type.shape {
        case .object(let object): return JSONWriter.object { write(value, object.fields, to: &$0) }
        case .list(let element, _):
            return (try? value.array()).map { list in JSONWriter.array(list.compactMap { parts($0, element) }) }
        default: return nil
        }
    }
}
