package import RelayCore

extension DataDirectory {
    /// Stores a revocation for the next process that opens the data file, whether that has such a token or not. On disk if this
    /// returns true; false if there is no space for it.
    package func revokeLater(_ revocation: TokenRevocation) throws(LogError) -> Bool {
        try WaitingRevocations(revocationsPath).add(revocation)
    }

    /// Number of revocations that wait for space in the data file.
    package var waitingRevocations: Int { get throws(LogError) { try WaitingRevocations(revocationsPath).all().count } }
}
