import type { PostgresPoolerSpec } from '../api/v1/postgres-pooler.ts';
import { poolerRole, poolerSchema } from '../instance/protocol.ts';

const number = /^\d{1,15}$/;
const seconds = /^\d{1,12}(?:\.\d{1,6})?$/;
const flag = /^[01]$/;
const text = /^[^\p{Cc}]{0,1000}$/u;

/** The parameters that a pooler may set, with a pattern for their values. PgBouncer would not start with an invalid value. */
const allowed: Readonly<Record<string, RegExp>> = {
  application_name_add_host: flag,
  autodb_idle_timeout: seconds,
  client_idle_timeout: seconds,
  client_login_timeout: seconds,
  client_tls_sslmode: /^(?:disable|allow|prefer|require)$/,
  default_pool_size: number,
  disable_pqexec: flag,
  dns_max_ttl: seconds,
  dns_nxdomain_ttl: seconds,
  idle_transaction_timeout: seconds,
  ignore_startup_parameters: text,
  listen_backlog: number,
  log_connections: flag,
  log_disconnections: flag,
  log_pooler_errors: flag,
  log_stats: flag,
  max_client_conn: number,
  max_db_connections: number,
  max_packet_size: number,
  max_user_connections: number,
  min_pool_size: number,
  pkt_buf: number,
  query_timeout: seconds,
  query_wait_timeout: seconds,
  reserve_pool_size: number,
  reserve_pool_timeout: seconds,
  sbuf_loopcnt: number,
  server_check_delay: seconds,
  server_check_query: text,
  server_connect_timeout: seconds,
  server_fast_close: flag,
  server_idle_timeout: seconds,
  server_lifetime: seconds,
  server_login_retry: seconds,
  server_reset_query: text,
  server_reset_query_always: flag,
  server_round_robin: flag,
  stats_period: seconds,
  suspend_timeout: seconds,
  tcp_defer_accept: number,
  tcp_keepalive: flag,
  tcp_keepcnt: number,
  tcp_keepidle: number,
  tcp_keepintvl: number,
  tcp_socket_buffer: number,
  tcp_user_timeout: number,
  verbose: number,
};

/**
 * Defaults that `spec.parameters` may override. They make clients wait during a failover, and detect an unresponsive node within
 * seconds.
 */
const defaults: Readonly<Record<string, string>> = {
  client_tls_sslmode: 'require',
  ignore_startup_parameters: 'extra_float_digits',
  server_connect_timeout: '5',
  server_login_retry: '1',
  tcp_keepcnt: '3',
  tcp_keepidle: '5',
  tcp_keepintvl: '2',
  tcp_user_timeout: '10000',
};

/** Returns why some parameters are rejected, or undefined if all are valid. */
export function parametersRejectionReason(parameters: Readonly<Record<string, string>>): string | undefined {
  const names = Object.keys(parameters).sort();
  const unknown = names.filter((name) => !Object.hasOwn(allowed, name));
  const invalid = names.filter((name) => Object.hasOwn(allowed, name) && !allowed[name]?.test(parameters[name] ?? ''));
  const reasons = [
    ...(unknown.length > 0 ? [`a pooler cannot set ${unknown.map((name) => JSON.stringify(name)).join(', ')}`] : []),
    ...invalid.map((name) => `${name} has an invalid value: ${JSON.stringify(parameters[name])}`),
  ];
  return reasons.length > 0 ? reasons.join('; ') : undefined;
}

/** Returns the part of pgbouncer.ini that all pods share. Each pod adds its address and the paths of its certificates. */
export function poolerSettings({ poolMode = 'session', parameters = {} }: PostgresPoolerSpec, host: string): string {
  const settings: Readonly<Record<string, string>> = {
    ...defaults,
    ...parameters,
    auth_query: `SELECT usename, passwd FROM ${poolerSchema}.user_search($1)`,
    auth_type: 'scram-sha-256',
    auth_user: poolerRole,
    listen_port: '5432',
    pool_mode: poolMode,
    // `verify-ca` suffices, because only this cluster's own authority is trusted. `verify-full` would fail, because the
    // host is the Service's IP address.
    server_tls_sslmode: 'verify-ca',
  };
  const lines = Object.entries(settings)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name} = ${value}`);
  return ['[databases]', `* = host=${host} port=5432`, '', '[pgbouncer]', ...lines, ''].join('\n');
}
