internal import RelayCore
internal import RelayProtocol

/// Converts columns to our types; throws for values that we cannot have written.
enum Stored {
    static func identifier<Tag>(_ text: String) throws(LogError) -> Identifier<Tag> {
        guard let identifier = Identifier<Tag>(text) else { throw damaged("an identifier is misspelled") }
        return identifier
    }

    static func word<Word: RawRepresentable<String>>(_ text: String) throws(LogError) -> Word {
        guard let word = Word(rawValue: text) else { throw damaged("\(Word.self) has no such word") }
        return word
    }

    static func decode<Value>(_ body: () throws(WireError) -> Value) throws(LogError) -> Value {
        do { return try body() } catch { throw damaged("a stored record does not decode", error) }
    }

    private static func damaged(_ what: String, _ underlying: (any Error)? = nil) -> LogError {
        LogError(.damaged(.record), "The database has something that we did not write: \(what).", underlying: underlying)
    }
}
