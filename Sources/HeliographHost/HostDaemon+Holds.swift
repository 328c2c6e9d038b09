internal import AgentClaude
internal import HostCore
internal import Logging
internal import RelayProtocol

/// What the relay holds of this host. It is on disk, so that a daemon that starts while the relay is away holds the same.
extension HostDaemon {
    func restoreHolds() { tell(.held(HoldsFile(configuration.stateDirectory).read())) }

    func hold(_ holds: Holds) {
        // What is known already is on disk already, or waits for it. A file that cannot be read says as much as what we say.
        guard holds != adapter.holds else { return }
        logger.info(
            "the relay holds sessions", metadata: ["count": "\(holds.everySession ? "all" : "\(holds.sessions.count)")"])
        tell(.held(holds))
        saveHolds()
    }

    /// Tried again with the spool where the disk does not take it: until then only this life knows.
    func saveHolds() {
        do throws(HostError) {
            try HoldsFile(configuration.stateDirectory).write(adapter.holds)
            hasUnsavedHolds = false
        } catch {
            logger.error("what is held is not on disk", metadata: ["error": "\(error)"])
            hasUnsavedHolds = true
            armDiskRetry()
        }
    }
}
