internal import RelayProtocol

/// The change of a tool's input that a person makes before allowing the call.
struct InputEdit {
    /// JSON of the changed members, as a decision has it.
    let text: String

    /// `wanted`: the input as JSON, whole or only with the members that change.
    init(_ wanted: String, of approval: Approval) throws(ClientError) {
        let editable = approval.request.editable
        guard !editable.isEmpty else { throw ClientError(.refused, "its input cannot be edited from here") }
        guard let members = try? JSONDocument(parsing: Array(wanted.utf8)).root.members() else {
            throw ClientError(.usage, "the input is no JSON object")
        }
        let asked = Self.members(of: approval)
        var changes: [(String, String)] = []
        for (key, value) in members {
            let old = asked.first { $0.key == key }?.value
            if let old, value.bytes.elementsEqual(old.bytes) { continue }
            let text = try? value.string()
            if let text, let before = try? old?.string(), text.utf8.elementsEqual(before.utf8) { continue }
            guard editable.contains(key), let text else {
                throw ClientError(.usage, "only \(editable.joined(separator: " and ")) can be changed in it, to another text")
            }
            changes.append((key, text))
        }
        guard !changes.isEmpty else {
            throw ClientError(
                .usage, "this is the input that is asked about", advice: "Leave out --input to allow it as it is.")
        }
        text = String(
            decoding: JSONWriter.object { writer in for (key, text) in changes { writer.field(dynamic: key, text) } },
            as: UTF8.self)
        guard text.utf8.count <= WireLimits.textBytesMax else { throw Self.tooLong }
    }

    static let tooLong = ClientError(.usage, "the edited input is longer than \(WireLimits.textBytesMax) bytes")

    /// Names and lines of each change: what was asked with `-`, what runs with `+`. Empty if the edit cannot be read.
    static func differences(_ edit: String, of approval: Approval) -> [(name: String, lines: String)] {
        let asked = members(of: approval)
        return ((try? JSONDocument(parsing: Array(edit.utf8)).root.members()) ?? []).map { key, value in
            let old = asked.first { $0.key == key }.flatMap { try? $0.value.string() } ?? ""
            return (key, difference(from: old, to: (try? value.string()) ?? ""))
        }
    }

    private static func members(of approval: Approval) -> [(key: String, value: JSONValue)] {
        let body = try? JSONDocument(parsing: approval.requestBytes).root.optional("body")
        return (try? body?.optional("input")?.members()) ?? []
    }

    /// Both texts line by line; lines at the beginning and the end that are the same stand once.
    private static func difference(from old: String, to new: String) -> String {
        let before = old.split(separator: "\n", omittingEmptySubsequences: false)
        let after = new.split(separator: "\n", omittingEmptySubsequences: false)
        let shortest = min(before.count, after.count)
        func isSame(_ a: Substring, _ b: Substring) -> Bool { a.utf8.elementsEqual(b.utf8) }
        let head = zip(before, after).prefix(while: isSame).count
        let tail = min(zip(before.reversed(), after.reversed()).prefix(while: isSame).count, shortest - head)
        var lines = before.prefix(head).map { " \($0)" }
        lines += before.dropFirst(head).dropLast(tail).map { "-\($0)" }
        lines += after.dropFirst(head).dropLast(tail).map { "+\($0)" }
        lines += before.suffix(tail).map { " \($0)" }
        return lines.joined(separator: "\n")
    }
}
