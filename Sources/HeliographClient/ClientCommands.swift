package import RelayProtocol

/// The client's commands; each blocks until it has ended, and returns its outcome. Nothing else prints or reads.
///
/// Results go to standard output, remarks and errors to standard error. With `isJSON` standard output has JSON only: one document
/// for lists, one object a line for continuing output.
package enum ClientCommands {
    /// `heliograph sessions [--all]`: `{"sessions":[SUMMARY…]}` as JSON, always with all.
    package static func sessions(_ options: ClientOptions, showsAll: Bool = false) -> ClientExit {
        ClientRun.run(options) { SessionsTask($0, showsAll: showsAll) }
    }

    /// `heliograph watch [SESSION]`. JSON lines have the types `link`, `summary`, `approval`, `event`, `deltas`, `skipped`,
    /// `missing`, `unsealed`, `reset`, `sessionGone` and `epochChanged`.
    package static func watch(_ options: ClientOptions, _ watch: WatchOptions) -> ClientExit {
        ClientRun.run(options) { WatchTask($0, watch) }
    }

    /// `heliograph approvals list [--all]`: `{"approvals":[APPROVAL…]}` as JSON.
    package static func approvals(_ options: ClientOptions, showsAll: Bool = false) -> ClientExit {
        ClientRun.run(options) { ApprovalListTask($0, showsAll: showsAll) }
    }

    /// `heliograph approvals show ID`: the APPROVAL as JSON.
    package static func showApproval(_ options: ClientOptions, approval: String) -> ClientExit {
        ClientRun.run(options) { ApprovalShowTask($0, approval) }
    }

    /// `heliograph approvals allow|deny|answer ID`: as JSON the `reply`, then an `approval` line for each stage.
    package static func decide(_ options: ClientOptions, _ decide: DecideOptions) -> ClientExit {
        ClientRun.run(options) { DecideTask($0, decide) }
    }

    /// `heliograph prompt|interrupt|mode|model|stop`: as JSON the `reply`, and an `event` line for each step. Successful only if
    /// the agent took it, by its own evidence.
    package static func steer(_ options: ClientOptions, _ steer: SteerOptions) -> ClientExit {
        ClientRun.run(options) { SteerTask($0, steer) }
    }

    /// `heliograph projects`: `{"projects":[…]}` as JSON.
    package static func projects(_ options: ClientOptions) -> ClientExit { ClientRun.run(options) { ProjectsTask($0) } }

    /// `heliograph withdraw`: successful only if the host reports that the prompt was withdrawn.
    package static func withdraw(_ options: ClientOptions, _ withdraw: WithdrawOptions) -> ClientExit {
        ClientRun.run(options) { WithdrawTask($0, withdraw) }
    }

    /// `heliograph remove`: ends when the session and its events are gone.
    package static func remove(_ options: ClientOptions, session: String) -> ClientExit {
        ClientRun.run(options) { RemoveTask($0, session) }
    }

    /// `heliograph budgets`: as JSON `{"budgets":[…]}` in the wire's form.
    package static func budgets(_ options: ClientOptions) -> ClientExit {
        ClientRun.run(options) { BudgetsTask($0, setting: nil) }
    }

    /// `heliograph budget set|clear`: changes a budget, then shows all of them as `budgets` does.
    package static func setBudget(_ options: ClientOptions, _ wish: BudgetOptions) -> ClientExit {
        ClientRun.run(options) { BudgetsTask($0, setting: wish) }
    }

    /// `heliograph cost`: as JSON `{"days":[…],"costs":{…}}`, the requested dates and the wire's answer.
    package static func costs(_ options: ClientOptions, _ wish: CostOptions) -> ClientExit {
        ClientRun.run(options) { CostsTask($0, wish) }
    }

    /// Reads the history for `heliograph rules try|suggest`. `show` gets the sessions, oldest first.
    package static func history(
        _ options: ClientOptions, _ wish: HistoryOptions, _ show: @escaping ([HistoryOptions.Session]) -> Void
    ) -> ClientExit {
        ClientRun.run(options) { HistoryTask($0, wish, show) }
    }

    /// `heliograph export`: `{"session","seq","event"}` a line.
    package static func export(_ options: ClientOptions, _ session: String?) -> ClientExit {
        ClientRun.run(options) { ExportTask($0, session) }
    }

    /// `heliograph devices`: `{"devices":[DEVICE…]}` as JSON.
    package static func devices(_ options: ClientOptions) -> ClientExit { ClientRun.run(options) { DeviceListTask($0) } }

    /// `heliograph devices add LINK`: `{"added":ID}` as JSON.
    package static func addDevice(_ options: ClientOptions, _ wish: TopicOptions) -> ClientExit {
        let device: Device
        do throws(ClientError) { device = try wish.device() } catch {
            Terminal(environment: options.environment).report(error)
            return error.exit
        }
        return ClientRun.run(options) { DeviceAddTask($0, device) }
    }

    /// `heliograph devices forget ID`.
    package static func forgetDevice(_ options: ClientOptions, device: String) -> ClientExit {
        ClientRun.run(options) { DeviceChangeTask($0, device, .forget) }
    }

    /// `heliograph devices weekly ID`: `{"changed":ID,"weekly"?:WEEKLY-COSTS}` as JSON. Nil turns the weekly report off.
    package static func tellWeekly(_ options: ClientOptions, device: String, _ wish: WeeklyOptions?) -> ClientExit {
        let weekly: WeeklyCosts?
        do throws(ClientError) { weekly = try wish?.weekly() } catch {
            Terminal(environment: options.environment).report(error)
            return error.exit
        }
        return ClientRun.run(options) { DeviceChangeTask($0, device, .weekly(weekly)) }
    }

    /// `heliograph push test DEVICE`: the PUSH as JSON, once it has an outcome. Successful only if the push service accepted it.
    package static func testPush(_ options: ClientOptions, device: String) -> ClientExit {
        ClientRun.run(options) { PushTestTask($0, device) }
    }

    /// `heliograph login LINK [--name NAME]`: pairs this machine and saves the token.
    package static func login(_ options: ClientOptions, link: String, name: String? = nil) -> ClientExit {
        PairingCommands.login(options, link: link, name: name)
    }

    /// `heliograph trust LINK`, or the link's secret alone: makes hosts trust this terminal.
    package static func trust(_ options: ClientOptions, _ text: String, name: String? = nil) -> ClientExit {
        TrustTask.run(options, text, name: name)
    }

    /// `heliograph trust --renew`.
    package static func renewTrust(_ options: ClientOptions) -> ClientExit { ClientRun.run(options) { RenewTask($0) } }

    /// `heliograph trust --devices`: as JSON one line for each host. With `device`, an id or short code: `--distrust`.
    package static func trusted(_ options: ClientOptions, distrust device: String? = nil) -> ClientExit {
        ClientRun.run(options) { RollTask($0, distrust: device) }
    }

    /// `heliograph trust --vouch`: as JSON the link, the device that asks to be trusted, and a line for each host that then trusts
    /// it. The confirmation, `y` or not, is read from the input.
    package static func vouch(_ options: ClientOptions, _ wish: VouchOptions) -> ClientExit {
        ClientRun.run(options) { run throws(ClientError) in try VouchTask(run, wish) }
    }

    /// A link that pairs one device, for a command that shows it. Nil if this terminal is not logged in at that relay, or not
    /// permitted to pair.
    package static func pairingLink(_ options: ClientOptions, role: PairingRole) -> String? { PairTask.link(options, role) }

    /// `heliograph logout`: forgets the token, and revokes it if the relay can be reached.
    package static func logout(_ options: ClientOptions) -> ClientExit {
        PairingCommands.logout(options)
    }
}
