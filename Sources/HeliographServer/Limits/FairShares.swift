/// Divides what one turn of the core and one commit can do among the peers that want something of them: the last to be served waits for
/// as much as every other may take, not for all that one wants. A peer alone has all of it.
///
/// Facts in, waits out: it looks at no clock.
struct FairShares {
    /// What one peer has used. It counts for the turn and the batch that it was used in.
    struct Account {
        fileprivate var turn = 0
        fileprivate var nanoseconds: Int64 = 0
        fileprivate var batch = 0
        fileprivate var cost = 0
    }

    private var turn = 1
    private var batch = 1
    /// What all peers have put into the batch that is being gathered.
    private var batchCost = 0
    /// How many have put something into it.
    private var contributors = 0

    /// The core has worked for it for so long. Returns for how long it rests, in nanoseconds, 0 at least: until all others who wait were
    /// served, and longer where it used more than its share. Nil: it goes on.
    mutating func worked(_ nanoseconds: Int64, for account: inout Account) -> Int64? {
        if account.turn != turn { (account.turn, account.nanoseconds) = (turn, 0) }
        account.nanoseconds += nanoseconds
        guard account.nanoseconds >= Self.turnNanosecondsMax else { return nil }
        defer { account.nanoseconds = 0 }
        return min(account.nanoseconds - Self.turnNanosecondsMax, Self.restNanosecondsMax)
    }

    /// It has put so much into the batch. True: the batch is full, and it has used its part of it; it waits for the next one. So a batch has
    /// at most a few times what makes it full, also where many come one after the other.
    mutating func staged(_ cost: Int, by account: inout Account) -> Bool {
        guard cost > 0 else { return false }
        if account.batch != batch {
            (account.batch, account.cost) = (batch, 0)
            contributors += 1
        }
        account.cost += cost
        batchCost += cost
        return batchCost >= Self.batchCostMax && account.cost >= Self.batchCostMax / contributors
    }

    mutating func turnEnded() { turn += 1 }

    /// What was gathered is on its way to the disk.
    mutating func batchCut() {
        batch += 1
        (batchCost, contributors) = (0, 0)
    }

    /// So long somebody who has just been heard may wait for each other who is busy.
    static let turnNanosecondsMax: Int64 = 1_000_000
    /// What a message can take that is as large as one may be. It bounds what a jump of the clock does.
    static let restNanosecondsMax: Int64 = 50_000_000
    /// Bytes, as `Relay.Backlog.stagedCost` has them. An approval there and back waits for up to four commits, so each is to take about a hundredth
    /// of a second; and it is as large as those of a hundred hosts that send single events without end, which it would slow.
    static let batchCostMax = 3 << 19
}
