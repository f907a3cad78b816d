import { Counter, Gauge, Histogram, type Registry, collectDefaultMetrics } from 'prom-client';

/** Every metric of the controller, in one place. Names end in a unit or `_total`; labels are bounded. */
export interface Metrics {
  readonly buildInfo: Gauge<'version' | 'node_version'>;
  readonly reconciliations: Counter;
  readonly reconciliationSeconds: Histogram;
  readonly reconciliationErrors: Counter;
  readonly reconciliationFailing: Gauge;
  readonly problems: Gauge<'severity'>;
  readonly validations: Counter<'result'>;
  readonly configPinned: Gauge;
  readonly configRejections: Counter<'validator'>;
  readonly quarantined: Gauge<'kind'>;
  readonly deployments: Counter;
  readonly deploymentSeconds: Histogram;
  readonly deploymentErrors: Counter<'stage'>;
  readonly consecutiveFailures: Gauge;
  readonly lastFullSync: Gauge;
  readonly applies: Counter<'pod' | 'mode'>;
  readonly applySeconds: Histogram<'mode'>;
  readonly applyRejections: Counter<'pod'>;
  readonly reloads: Counter;
  readonly reverts: Counter;
  readonly driftCorrections: Counter;
  readonly versionSkews: Counter;
  readonly runtimeOperations: Counter;
  readonly serverOperations: Counter<'op'>;
  readonly backendOperations: Counter<'op'>;
  readonly runtimeFallbacks: Counter<'reason'>;
  readonly mapDivergences: Counter<'map'>;
  readonly fleetSize: Gauge;
  readonly fleetConverged: Gauge;
  readonly fleetPending: Gauge;
  readonly podsRejected: Counter<'reason'>;
  readonly certificateExpiry: Gauge;
  readonly resources: Gauge<'type'>;
  readonly watchDegraded: Gauge<'type'>;
  readonly onDemandReads: Counter<'type' | 'result'>;
  readonly onDemandObjects: Gauge<'type'>;
  readonly httpContents: Counter<'result'>;
  readonly httpUrls: Gauge;
  readonly ownResources: Counter<'result'>;
  readonly ownResourcesFailing: Gauge;
  readonly isLeader: Gauge;
  readonly leaderTransitions: Counter;
  readonly leaderSeconds: Counter;
  readonly published: Counter<'result'>;
  readonly publishingFailing: Gauge;
  readonly renders: Counter<'cache_state'>;
  readonly turnChanges: Histogram;
  readonly stageSeconds: Histogram<'stage'>;
  readonly changeSeconds: Histogram;
  readonly reloadReasons: Counter<'cause'>;
  readonly watchLastEvent: Gauge<'type'>;
  readonly tapReaders: Gauge;
  readonly tapDropped: Counter;
  readonly stalled: Gauge<'stage'>;
}

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Registers the metrics, and Node's own (event-loop lag, memory), with the given registry. */
export function createMetrics(registry: Registry): Metrics {
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  return {
    buildInfo: new Gauge({
      name: 'haptic_build_info',
      help: 'Version of the program, always 1.',
      labelNames: ['version', 'node_version'],
      registers,
    }),
    reconciliations: new Counter({
      name: 'haptic_reconciliation_total',
      help: 'Renders that came out, whether or not they changed anything.',
      registers,
    }),
    reconciliationSeconds: new Histogram({
      name: 'haptic_reconciliation_duration_seconds',
      help: 'Time of a render, from its start to the bundle.',
      buckets: seconds,
      registers,
    }),
    reconciliationErrors: new Counter({
      name: 'haptic_reconciliation_errors_total',
      help: 'Renders that failed as a whole; the former one stays in effect.',
      registers,
    }),
    reconciliationFailing: new Gauge({
      name: 'haptic_reconciliation_failing',
      help: '1 while the newest render is one that failed as a whole.',
      registers,
    }),
    problems: new Gauge({
      name: 'haptic_problems',
      help: 'Objects or fields that are not in effect (error) or not as written (warning).',
      labelNames: ['severity'],
      registers,
    }),
    validations: new Counter({
      name: 'haptic_validation_total',
      help: 'Checks of a render by HAProxy itself.',
      labelNames: ['result'],
      registers,
    }),
    configRejections: new Counter({
      name: 'haptic_config_rejected_total',
      help: 'Renders that were refused, by who refused them.',
      labelNames: ['validator'],
      registers,
    }),
    quarantined: new Gauge({
      name: 'haptic_quarantined_objects',
      help: 'Objects whose output is refused: pinned at their last accepted output, or excluded as they never had one.',
      labelNames: ['kind'],
      registers,
    }),
    configPinned: new Gauge({
      name: 'haptic_config_pinned',
      help: '1 while the fleet is kept on an older render because newer ones are refused.',
      registers,
    }),
    deployments: new Counter({
      name: 'haptic_deployment_total',
      help: 'Renders that were let out to a fleet of at least one pod.',
      registers,
    }),
    deploymentSeconds: new Histogram({
      name: 'haptic_deployment_duration_seconds',
      help: 'Time from letting a render out until every pod runs it.',
      buckets: seconds,
      registers,
    }),
    deploymentErrors: new Counter({
      name: 'haptic_deployment_errors_total',
      help: 'Failed attempts to bring a pod to a render, by what failed; overdue: not every pod ran it in time.',
      labelNames: ['stage'],
      registers,
    }),
    consecutiveFailures: new Gauge({
      name: 'haptic_deployment_consecutive_failures',
      help: 'Failed attempts since every pod ran the released render last.',
      registers,
    }),
    lastFullSync: new Gauge({
      name: 'haptic_last_full_sync_timestamp_seconds',
      help: 'When every pod ran the released render last, seconds of the Unix clock.',
      registers,
    }),
    applies: new Counter({
      name: 'haptic_deploy_apply_total',
      help: 'Accepted deliveries to a pod by what they cost it.',
      labelNames: ['pod', 'mode'],
      registers,
    }),
    applySeconds: new Histogram({
      name: 'haptic_deploy_apply_duration_seconds',
      help: 'Time of a delivery to one pod, from the diff to the acknowledgement.',
      labelNames: ['mode'],
      buckets: seconds,
      registers,
    }),
    applyRejections: new Counter({
      name: 'haptic_apply_rejected_total',
      help: 'Deliveries that a pod took in and its HAProxy or agent then refused.',
      labelNames: ['pod'],
      registers,
    }),
    reloads: new Counter({
      name: 'haptic_haproxy_reloads_total',
      help: 'Reloads of HAProxy that deliveries caused, scheduled ones when they have happened.',
      registers,
    }),
    reverts: new Counter({
      name: 'haptic_reverts_total',
      help: 'Pods that went back to their last known good configuration after a refusal.',
      registers,
    }),
    driftCorrections: new Counter({
      name: 'haptic_drift_corrections_total',
      help: 'Deliveries that undid what somebody else had done to the files of a pod.',
      registers,
    }),
    versionSkews: new Counter({
      name: 'haptic_agent_version_skew_total',
      help: 'Deliveries of the complete state with a reload, because the agent is of another release.',
      registers,
    }),
    runtimeOperations: new Counter({
      name: 'haptic_runtime_ops_total',
      help: 'Operations run in a live HAProxy worker.',
      registers,
    }),
    serverOperations: new Counter({
      name: 'haptic_runtime_server_ops_total',
      help: 'Operations on servers run in a live HAProxy worker.',
      labelNames: ['op'],
      registers,
    }),
    backendOperations: new Counter({
      name: 'haptic_runtime_backend_ops_total',
      help: 'Operations on backends run in a live HAProxy worker.',
      labelNames: ['op'],
      registers,
    }),
    runtimeFallbacks: new Counter({
      name: 'haptic_runtime_backend_fallback_total',
      help: 'Deliveries whose operations ended in a reload.',
      labelNames: ['reason'],
      registers,
    }),
    mapDivergences: new Counter({
      name: 'haptic_runtime_map_divergence_total',
      help: 'Times that a map in a live HAProxy worker was found to be otherwise than its file.',
      labelNames: ['map'],
      registers,
    }),
    fleetSize: new Gauge({
      name: 'haptic_haproxy_fleet_size',
      help: 'HAProxy pods that are delivered to.',
      registers,
    }),
    fleetConverged: new Gauge({
      name: 'haptic_haproxy_fleet_converged',
      help: 'HAProxy pods that run the released render.',
      registers,
    }),
    fleetPending: new Gauge({
      name: 'haptic_haproxy_fleet_pending',
      help: 'HAProxy pods that hold the released render and wait for the reload that makes them run it.',
      registers,
    }),
    podsRejected: new Counter({
      name: 'haptic_haproxy_pods_rejected_total',
      help: 'HAProxy pods that could not be delivered to, counted when it is found out, by reason.',
      labelNames: ['reason'],
      registers,
    }),
    certificateExpiry: new Gauge({
      name: 'haptic_certificate_expiry_timestamp_seconds',
      help: 'When the first of the certificates that HTTPS is served with ends, seconds of the Unix clock; 0 without any.',
      registers,
    }),
    resources: new Gauge({
      name: 'haptic_resource_count',
      help: 'Objects held of a watched resource.',
      labelNames: ['type'],
      registers,
    }),
    onDemandReads: new Counter({
      name: 'haptic_on_demand_reads_total',
      help: 'Objects of a watched resource that templates asked for, by what came of it: here, gone or failed.',
      labelNames: ['type', 'result'],
      registers,
    }),
    onDemandObjects: new Gauge({
      name: 'haptic_on_demand_object_count',
      help: 'Objects in memory of a watched resource of which else only references are held.',
      labelNames: ['type'],
      registers,
    }),
    watchDegraded: new Gauge({
      name: 'haptic_watch_degraded',
      help: '1 while nothing new arrives of a watched resource; the objects held stay in effect.',
      labelNames: ['type'],
      registers,
    }),
    httpContents: new Counter({
      name: 'haptic_http_content_total',
      help: 'Events of HTTP content that templates read: fetches and trials, by how they ended.',
      labelNames: ['result'],
      registers,
    }),
    httpUrls: new Gauge({
      name: 'haptic_http_content_urls',
      help: 'URLs that templates read and that are fetched.',
      registers,
    }),
    ownResources: new Counter({
      name: 'haptic_own_resources_total',
      help: 'Attempts to bring Kubernetes objects of k8sResources to what is declared, by how they ended.',
      labelNames: ['result'],
      registers,
    }),
    ownResourcesFailing: new Gauge({
      name: 'haptic_own_resources_failing',
      help: 'Kubernetes objects of k8sResources that are not as they are declared.',
      registers,
    }),
    isLeader: new Gauge({
      name: 'haptic_leader_election_is_leader',
      help: '1 while this process writes to pods and objects, 0 while it stands by.',
      registers,
    }),
    leaderTransitions: new Counter({
      name: 'haptic_leader_election_transitions_total',
      help: 'Times that this process began or ceased to lead.',
      registers,
    }),
    leaderSeconds: new Counter({
      name: 'haptic_leader_election_time_as_leader_seconds_total',
      help: 'Time for which this process has led, seconds.',
      registers,
    }),
    published: new Counter({
      name: 'haptic_published_total',
      help: 'Steps of publishing renders as objects (HAProxyCfg and its companions), by how they ended.',
      labelNames: ['result'],
      registers,
    }),
    publishingFailing: new Gauge({
      name: 'haptic_publishing_failing',
      help: 'Objects that show the render and are not as they should be.',
      registers,
    }),
    renders: new Counter({
      name: 'haptic_render_total',
      help: 'Renders by what had to be done: cold, all of it; warm, what changed; replay, nothing new came out.',
      labelNames: ['cache_state'],
      registers,
    }),
    turnChanges: new Histogram({
      name: 'haptic_turn_changes',
      help: 'Objects that changed between two renders.',
      buckets: [0, 1, 2, 5, 10, 50, 100, 500, 1_000, 5_000, 10_000],
      registers,
    }),
    stageSeconds: new Histogram({
      name: 'haptic_stage_duration_seconds',
      help: 'Time of a change in each stage: wait, from its arrival to the render; render; gate, from there to the verdict of HAProxy; apply, of one pod.',
      labelNames: ['stage'],
      buckets: seconds,
      registers,
    }),
    changeSeconds: new Histogram({
      name: 'haptic_change_to_ack_seconds',
      help: 'Time from the arrival of a change to the acknowledgement of a pod that has taken it.',
      buckets: seconds,
      registers,
    }),
    reloadReasons: new Counter({
      name: 'haptic_reload_reasons_total',
      help: 'Reasons why a delivery took a reload, by what they are about.',
      labelNames: ['cause'],
      registers,
    }),
    watchLastEvent: new Gauge({
      name: 'haptic_watch_last_event_timestamp_seconds',
      help: 'When something arrived of a watched resource last, seconds of the Unix clock.',
      labelNames: ['type'],
      registers,
    }),
    tapReaders: new Gauge({
      name: 'haptic_tap_readers',
      help: 'Streams of debug taps that are open.',
      registers,
    }),
    tapDropped: new Counter({
      name: 'haptic_tap_dropped_total',
      help: 'Values that readers of debug taps lost because they were too slow.',
      registers,
    }),
    stalled: new Gauge({
      name: 'haptic_stage_stalled',
      help: '1 while a stage of the pipeline has been at one piece of work for longer than it ever should.',
      labelNames: ['stage'],
      registers,
    }),
  };
}
