package import RelayCore

extension DataDirectory {
    /// Has whoever opens the data file next know of it, whether that has such a token or not. On disk when this returns true; false where there is
    /// no place for it.
    package func revokeLater(_ revocation: TokenRevocation) throws(LogError) -> Bool {
        try WaitingRevocations(revocationsPath).add(revocation)
    }

    /// How many wait for room in the data file.
    package var waitingRevocations: Int { get throws(LogError) { try WaitingRevocations(revocationsPath).all().count } }
}
