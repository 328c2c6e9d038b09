/// Divides the work of one turn of the core and of one commit among the peers with input: a peer waits at most for the share of
/// each other peer, not for everything that one of them sends. A single peer gets everything.
///
/// Pure: gets facts and returns waits; reads no clock.
struct FairShares {
    /// One peer's use, valid for the turn and the batch in which it happened.
    struct Account {
        fileprivate var turn = 0
        fileprivate var nanoseconds: Int64 = 0
        fileprivate var batch = 0
        fileprivate var cost = 0
    }

    private var turn = 1
    private(set) var batch = 1
    /// Cost of the batch that is being collected.
    private var batchCost = 0
    /// Number of peers that have contributed to the batch.
    private var contributors = 0
    /// The last batch that had several contributors, or another one than the batch before.
    private var sharedBatch = -besideBatches

    /// Counts the core's time for a peer. Returns the nanoseconds for which it must wait, at least 0: until all other waiting peers
    /// were served, and longer if it used more than its share. Nil: it may continue.
    mutating func worked(_ nanoseconds: Int64, for account: inout Account) -> Int64? {
        if account.turn != turn { (account.turn, account.nanoseconds) = (turn, 0) }
        account.nanoseconds += nanoseconds
        guard account.nanoseconds >= Self.turnNanosecondsMax else { return nil }
        defer { account.nanoseconds = 0 }
        return min(account.nanoseconds - Self.turnNanosecondsMax, Self.restNanosecondsMax)
    }

    /// Accounts a peer's contribution to the batch. True: the batch is full, and the peer has used its share; it waits for the next one.
    /// So a batch has at most a few times its limit, even if many peers follow each other. Beside others a peer's share is small at once: what
    /// somebody waits for goes to the disk with it, and after a commit that it fills.
    mutating func staged(_ cost: Int, by account: inout Account) -> Bool {
        guard cost > 0 else { return false }
        if account.batch != batch {
            contributors += 1
            if contributors > 1 || account.batch != batch - 1 { sharedBatch = batch }
            (account.batch, account.cost) = (batch, 0)
        }
        account.cost += cost
        batchCost += cost
        if batch - sharedBatch < Self.besideBatches, account.cost >= Self.besideCostMax { return true }
        return batchCost >= Self.batchCostMax && account.cost >= Self.batchCostMax / contributors
    }

    mutating func turnEnded() { turn += 1 }

    /// The batch was cut: the next one is empty.
    mutating func batchCut() {
        guard batchCost > 0 else { return }
        batch += 1
        (batchCost, contributors) = (0, 0)
    }

    /// Time of the core per turn and busy peer: a peer may have to wait this long for each other busy peer.
    static let turnNanosecondsMax: Int64 = 1_000_000
    /// Longest wait: the time for the largest message allowed. Limits the effect of a jump of the clock.
    static let restNanosecondsMax: Int64 = 50_000_000
    /// Limit in bytes, as `Relay.Backlog.stagedCost`. An approval and its answer wait for up to four commits, so each should take
    /// about a hundredth of a second. It is as large as a batch of a hundred hosts that send single events without a pause, which a
    /// lower limit would slow down.
    static let batchCostMax = 3 << 19
    /// Likewise of one peer beside others: a commit takes a millisecond or two then, and the disk's own sync is less than a fifth of it.
    static let besideCostMax = 1 << 17
    /// Batches for which a peer counts as beside others after one that it shared: a second, or half of one.
    static let besideBatches = 256
}
