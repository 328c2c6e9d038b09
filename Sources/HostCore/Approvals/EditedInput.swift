package import RelayProtocol

/// A tool's input with the texts that a person has changed. Everything else is the agent's own, byte for byte.
package struct EditedInput: Sendable {
    /// Largest input that is offered for editing: a change of all of it, sealed and in base64url, fits a text that a person types.
    package static let askedBytesMax = 16 << 10

    package let bytes: [UInt8]
    /// The texts that could be changed, as they are now: the call is recognised by them once it has run.
    package let texts: [(question: String, value: String)]

    /// `edit`: a JSON object with the changed members, each one of `editable` and a text.
    package init(_ edit: String, of asked: [UInt8], editable: [String]) throws(EditError) {
        guard let input = try? JSONDocument(parsing: asked).root, let members = try? input.members(),
            let names = try? input.names(), let changes = try? JSONDocument(parsing: Array(edit.utf8)).root.members()
        else { throw .malformed }
        var changed: [String: String] = [:]
        for (name, value) in changes {
            guard editable.contains(name), let text = try? value.string(), changed.updateValue(text, forKey: name) == nil else {
                throw .malformed
            }
        }
        var bytes: [UInt8] = []
        var texts: [(question: String, value: String)] = []
        var isChanged = false
        for (name, member) in zip(names, members) {
            bytes.append(UInt8(ascii: bytes.isEmpty ? "{" : ","))
            bytes += name.bytes + [UInt8(ascii: ":")]
            let text = changed.removeValue(forKey: member.key)
            if editable.contains(member.key), let asked = try? member.value.string() {
                texts.append((member.key, text ?? asked))
                isChanged = isChanged || (text.map { !$0.utf8.elementsEqual(asked.utf8) } ?? false)
            }
            bytes += text.map(JSONWriter.string) ?? Array(member.value.bytes)
        }
        guard isChanged, changed.isEmpty else { throw .malformed }
        self.bytes = bytes + [UInt8(ascii: "}")]
        self.texts = texts
    }

    /// Those of the members that the input has as texts.
    package static func editable(_ names: [String], in input: JSONValue?) -> [String] {
        let members = (try? input?.members()) ?? []
        return names.filter { name in members.contains { $0.key == name && $0.value.isString } }
    }

    /// The texts of these members in the input of a call that has run.
    package static func texts(of names: [String], in input: JSONValue?) -> [(question: String, value: String)] {
        ((try? input?.members()) ?? []).compactMap { member in
            guard names.contains(member.key), let text = try? member.value.string() else { return nil }
            return (member.key, text)
        }
    }
}
