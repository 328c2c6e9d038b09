/// Divides what one turn of the core and one commit can do among the peers that want something of them: the last to be served waits for
/// as much as every other may take, not for all that one wants. A peer alone has all of it.
///
/// Facts in, waits out: it looks at no clock.
struct FairShares {
    /// One peer's use. Counts for the turn and the batch in which it happened.
    struct Account {
        fileprivate var turn = 0
        fileprivate var nanoseconds: Int64 = 0
        fileprivate var batch = 0
        fileprivate var cost = 0
    }

    private var turn = 1
    private(set) var batch = 1
    /// Cost of the batch that is being gathered.
    private var batchCost = 0
    /// Number of peers that contributed to it.
    private var contributors = 0
    /// The last batch that had several contributors, or another one than the batch before.
    private var sharedBatch = -besideBatches

    /// Accounts the core's time for a peer. Returns the nanoseconds that it rests, at least 0: until all others who wait were served, and
    /// longer if it used more than its share. Nil: it goes on.
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

    /// The batch is on its way to the disk.
    mutating func batchCut() {
        guard batchCost > 0 else { return }
        batch += 1
        (batchCost, contributors) = (0, 0)
    }

    /// A peer that has just spoken may have to wait this long for each other busy peer.
    static let turnNanosecondsMax: Int64 = 1_000_000
    /// Time for the largest message allowed. Bounds the effect of a jump of the clock.
    static let restNanosecondsMax: Int64 = 50_000_000
    /// Bytes, as `Relay.Backlog.stagedCost` has them. An approval there and back waits for up to four commits, so each is to take about a hundredth
    /// of a second; and it is as large as those of a hundred hosts that send single events without end, which it would slow.
    static let batchCostMax = 3 << 19
    /// Likewise of one peer beside others: a commit takes a millisecond or two then, and the disk's own sync is less than a fifth of it.
    static let besideCostMax = 1 << 17
    /// Batches for which a peer counts as beside others after one that it shared: a second, or half of one.
    static let besideBatches = 256
}
