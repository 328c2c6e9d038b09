import RelayCore
import RelayProtocol
import Testing

@testable import HeliographServer

/// For which commits the loop stays awake.
struct CommitVigilTests {
    /// After one of this length that somebody waited for.
    private func vigil(after nanoseconds: Int64, processors: Int = 2) -> CommitVigil {
        var vigil = CommitVigil(processors: processors)
        #expect(vigil.begins(isAwaited: true) == 0, "nobody knows how long it takes")
        vigil.ended(in: nanoseconds)
        return vigil
    }

    @Test func `for one that somebody waits for, twice as long as the last one took`() {
        var vigil = vigil(after: 100_000)
        #expect(vigil.begins(isAwaited: true) == 200_000)
    }

    @Test func `never for one that nobody waits for, which says nothing of the others either`() {
        var vigil = vigil(after: 100_000)
        #expect(vigil.begins(isAwaited: false) == 0)
        vigil.ended(in: 5_000_000)
        #expect(vigil.begins(isAwaited: true) == 200_000)
    }

    @Test(arguments: [CommitVigil.nanosecondsMax + 1, .max] as [Int64])
    func `not where the last one took long`(_ nanoseconds: Int64) {
        var vigil = vigil(after: nanoseconds)
        #expect(vigil.begins(isAwaited: true) == 0)
        vigil.ended(in: 100_000)
        #expect(vigil.begins(isAwaited: true) == 200_000, "the disk is fast again")
    }

    @Test(arguments: [CommitVigil.nanosecondsMax, 300_000, -1, .min] as [Int64])
    func `never for long, nor for less than nothing`(_ nanoseconds: Int64) {
        var vigil = vigil(after: nanoseconds)
        #expect((0...CommitVigil.nanosecondsMax).contains(vigil.begins(isAwaited: true)))
    }

    @Test func `not where there is one processor for both`() {
        var vigil = vigil(after: 100_000, processors: 1)
        #expect(vigil.begins(isAwaited: true) == 0)
    }

    @Test func `somebody waits for a command, and for a step of an approval`() {
        #expect(!LogBatch().isAwaited)
        let command = CommandRecord(
            workspace: WorkspaceID("home")!, client: ClientID("phone")!, command: CommandID("c1")!, at: 0)
        #expect(LogBatch(commands: [command]).isAwaited)
    }
}
