/// Error of a database connection.
package struct PostgresError: Error, Sendable {
    package enum Code: Sendable, Hashable {
        /// libpq is not installed, or too old.
        case missingLibrary
        /// No answer in time, or one with which the connection cannot be used. Nothing was requested yet.
        case cannotConnect
        /// The database refused a statement: nothing of its transaction is stored. The connection remains usable.
        case refused
        /// The connection ended, by itself or because an answer did not come in time. It is unknown whether a transaction under way
        /// was committed.
        case lost
    }

    package let code: Code
    package let message: String
    /// The SQLSTATE, five characters, if the database sent one.
    package let state: String?
    /// The constraint that was violated, if that is the error.
    package let constraint: String?

    package init(_ code: Code, _ message: String, state: String? = nil, constraint: String? = nil) {
        self.code = code
        self.message = message
        self.state = state
        self.constraint = constraint
    }
}

extension PostgresError: CustomStringConvertible {
    package var description: String { state.map { "\(message) (SQLSTATE \($0))" } ?? message }
}
