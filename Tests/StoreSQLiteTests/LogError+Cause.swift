import RelayCore
import StoreSQLite

extension LogError {
    /// The data file's own word for it.
    var cause: SQLiteStoreError.Code? { (underlying as? SQLiteStoreError)?.code }
}
