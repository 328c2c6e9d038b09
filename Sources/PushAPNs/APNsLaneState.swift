package import HeliographHTTP2
package import RelayProtocol

/// State of the traffic with one of Apple's hosts for one team.
package struct APNsLaneState: Equatable, Sendable {
    package var service: APNsService
    package var environment: PushEnvironment
    package var teamID: String
    /// Requests that wait to be sent, now or later.
    package var waiting: Int
    /// Requests that wait for their response.
    package var flying: Int
    /// True if nothing is sent because Apple refuses our credentials.
    package var isBreakerOpen: Bool
    /// The last problem; a sentence, nil if there is none.
    package var trouble: String?
    /// Apple's last verdict on our credentials; nil if it has not been asked.
    package var verdict: APNsVerdict?
    /// State of the connection; nil if there is none.
    package var connection: HTTP2ConnectionState?

    init(_ id: APNsMachine.LaneID, _ lane: LaneMachine, _ connection: HTTP2ConnectionState?) {
        service = id.service
        environment = id.environment
        teamID = id.teamID
        waiting = lane.queue.count + lane.delayed.count
        flying = lane.flights.count
        isBreakerOpen = lane.breaker.barredUntil != nil
        trouble = lane.trouble
        verdict = lane.verdict
        self.connection = connection
    }
}
