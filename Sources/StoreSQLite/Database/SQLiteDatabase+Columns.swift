internal import Foundation
internal import GRDB
internal import RelayProtocol

/// Converts columns to our types; throws for values that we cannot have written: then the file is damaged.
extension SQLiteDatabase {
    func identifier<Tag>(_ text: String) throws(SQLiteStoreError) -> Identifier<Tag> {
        guard let identifier = Identifier<Tag>(text) else { throw .corrupt(path: path, "an identifier is misspelled") }
        return identifier
    }

    func word<Word: RawRepresentable<String>>(_ text: String) throws(SQLiteStoreError) -> Word {
        guard let word = Word(rawValue: text) else { throw .corrupt(path: path, "\(Word.self) has no such word") }
        return word
    }

    func decode<Value>(_ body: () throws(WireError) -> Value) throws(SQLiteStoreError) -> Value {
        do {
            return try body()
        } catch {
            throw .corrupt(path: path, "a stored record does not decode", underlying: error)
        }
    }
}

extension Row {
    /// A column of bytes, copied once.
    subscript(_ index: Int) -> [UInt8] {
        // For an empty blob SQLite has no address, and GRDB returns no data.
        (try? withUnsafeData(atIndex: index) { $0.map { [UInt8]($0) } }) ?? []
    }
}
