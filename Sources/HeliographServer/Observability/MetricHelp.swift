/// Help text of each metric. One line each, without backslashes, which the format would escape.
enum MetricHelp {
    static let sentences: [String: String] = [
        "heliograph_approvals_open": "Approvals and questions that wait for a decision or its end.",
        "heliograph_build_info": "Always 1; the label says which version runs.",
        "heliograph_bytes_received_total": "Bytes of the messages of hosts and clients.",
        "heliograph_bytes_sent_total": "Bytes of the messages to hosts and clients.",
        "heliograph_clients_cut_off_total": "Clients that were furthest behind when memory was short, and were closed.",
        "heliograph_clock_believed":
            "1 while history ages by the clock of the machine; 0 after a jump of that clock.",
        "heliograph_commit_seconds": "From the order to the answer of the disk, a batch.",
        "heliograph_commits_failed_total": "Batches that the store did not take; hosts send them again.",
        "heliograph_congestions_total": "Times that a peer did not read as fast as it was sent to.",
        "heliograph_connections": "WebSockets that are open.",
        "heliograph_connections_turned_away_total": "Connections and requests above a limit.",
        "heliograph_cost_microdollars_total": "What agents reported as cost, in millionths of a dollar.",
        "heliograph_data_bytes": "Size of the data file, with what is not yet in it.",
        "heliograph_database_standbys_in_sync": "Standbys of the database whose word counts for a commit.",
        "heliograph_database_standbys_needed": "How many of them a commit waits for.",
        "heliograph_database_synchronous":
            "1 while commits wait for the disk of a standby; 0: the database's machine alone has them.",
        "heliograph_event_loops": "Threads that serve connections; the label says how they wait for their sockets.",
        "heliograph_events_committed_total": "Events that are on disk.",
        "heliograph_events_removed_total": "Events that retention removed.",
        "heliograph_memory_budget_bytes": "What resident memory may come to.",
        "heliograph_memory_bytes": "Resident memory that is of no file.",
        "heliograph_messages_received_total": "Messages of hosts and clients.",
        "heliograph_messages_refused_total": "Messages that broke the protocol.",
        "heliograph_messages_sent_total": "Messages to hosts and clients.",
        "heliograph_node_links": "Links to other nodes that are open: an owner's to its edges, an edge's to the owner.",
        "heliograph_node_requests_waiting": "Requests that wait until an owner of their workspace is reached.",
        "heliograph_node_workspaces": "Workspaces that this relay owns; of several relays on a database each owns some.",
        "heliograph_registrations_total":
            "Requests for a workspace; the label says that one was made, or which limit refused it.",
        "heliograph_workspace_event_bytes":
            "Bytes of events that half, nine tenths and all of this relay's workspaces do not exceed.",
        "heliograph_workspaces_overfull":
            "Workspaces that have more events than they may keep, until the sweep has removed some.",
        "heliograph_workspaces": "Workspaces that there are.",
        "heliograph_workspaces_registered": "Those of them that strangers registered.",
        "heliograph_push_breakers_open": "Connections to APNs that rest, because everything was refused.",
        "heliograph_push_seconds": "From the plan of a push to the answer of APNs.",
        "heliograph_pushes_answered_total": "What became of pushes.",
        "heliograph_pushes_flying": "Pushes on their way.",
        "heliograph_pushes_planned_total": "Pushes that were decided on.",
        "heliograph_pushes_waiting": "Pushes that wait for their turn.",
        "heliograph_quota_refusals_total": "Approvals, batches and commands that were above a limit.",
        "heliograph_revocations_waiting":
            "Revocations that hold and are not where tokens are; the label says where, and memory ends with the relay.",
        "heliograph_sessions": "Sessions whose history is kept.",
        "heliograph_sessions_removed_total": "Sessions that retention removed.",
        "heliograph_slowed_total": "Times that a peer sent more than it may and was read more slowly.",
        "heliograph_start_time_seconds": "When the relay started, in seconds since 1970.",
        "heliograph_store_takes_writes": "1 while the store takes what is written; 0: nothing, or decisions only.",
        "heliograph_tls_certificate_expires_timestamp_seconds":
            "When the certificate that new connections get goes out of date, in seconds since 1970.",
        "heliograph_tokens_total": "Tokens that agents reported as used.",
        "heliograph_upgrades_refused_total":
            "WebSockets that were not let in: no token, a revoked one, a foreign origin, the wrong role.",
    ]
}
