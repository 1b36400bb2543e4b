/** What the standard API server is told, beside what any API server is. */
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Registry } from '../../base/metrics.ts';
import type { Store } from '../storage/store.ts';
import type { AdmissionSettings } from './admission/configuration/settings.ts';
import type { PluginChoice } from './admission/plugin-choice.ts';
import type { AuditOptions } from './audit/create-auditor.ts';
import type { ApiServerOptions } from './apiserver.ts';
import type { AuthenticationOptions } from './authn/authentication.ts';
import type { AuthorizerOptions } from './authz/configuration.ts';
import type { Handler } from './contracts.ts';
import type { StoreCheckMs } from './discovery/standard-checks.ts';
import type { BuildInfo } from './discovery/version.ts';
import type { ConfigurationFiles } from './reload/configuration-files.ts';
import type { BackendTls } from './subresources/proxy/backend.ts';
import type { Component } from './subresources/component-statuses.ts';

export interface StandardOptions extends ApiServerOptions, Omit<AuthenticationOptions, 'objects' | 'clock' | 'metrics'> {
	/** Asked for each connection, so that a renewed certificate is taken up. */
	readonly kubeletTls: () => BackendTls;
	/** Of nodes' addresses those that reach their kubelets, in order; as kubeadm has it unless told. */
	readonly kubeletAddressTypes?: readonly string[] | undefined;
	/** The certificate by which aggregated API servers know that it is us who names the user; none unless told. */
	readonly proxyClient?: () => BackendTls;
	readonly build: BuildInfo;
	/** How long the health checks wait for the store; two seconds unless told. */
	readonly storeCheckMs?: StoreCheckMs | undefined;
	/** Where pods and nodes reach this server. */
	readonly advertiseAddress: string;
	readonly advertisePort: number;
	/** What componentstatuses tell of; nothing unless told. */
	readonly components?: () => readonly Component[];
	/** Asked in this order; Node and RBAC unless told. */
	readonly authorizers?: readonly AuthorizerOptions[] | undefined;
	/** Files of authentication and authorization that are read again when they change. */
	readonly configurations?: ConfigurationFiles | undefined;
	/** Where others find the keys of service-account tokens; at the advertised address unless told. */
	readonly jwksUri?: string | undefined;
	/** Admission plugins beside the usual ones, and usual ones that do not run. */
	readonly admissionPlugins?: PluginChoice | undefined;
	/** What admission plugins are told beside. */
	readonly admissionSettings?: AdmissionSettings | undefined;
	/** Serves /debug/pprof to those who may; so it is unless told. */
	readonly profiling?: boolean | undefined;
	/** Who did what is written down as the policy says; absent: nothing is. */
	readonly audit?: AuditOptions | undefined;
	/** What it was started with, shown at /flagz. */
	readonly flags?: Readonly<Record<string, string>>;
	/** Handlers of further single paths: OpenAPI documents and the like. */
	readonly paths?: ReadonlyMap<string, Handler>;
}

export interface StandardDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly log: Log;
	readonly metrics: Registry;
}
