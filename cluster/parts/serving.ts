/**
 * The certificate of the kubelet's HTTPS API: from files, else asked of the API server (serverTLSBootstrap), else signed by nobody. Whoever asks
 * for it gets the present one.
 */
import { CertificateStore, type CertifiedKey } from '../../agent/certificates/store.ts';
import { RotatedCertificate } from '../../agent/certificates/rotated.ts';
import { servingCertificate } from '../../agent/certificates/request.ts';
import { selfSigned } from '../../agent/certificates/self-signed.ts';
import type { ServerSettings } from '../../agent/config/server-settings.ts';
import type { CertificateMetrics } from '../../agent/certificates/metrics.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Client } from '../../client/client.ts';
import type { KeyPairFiles } from './config.ts';
import { fieldsOf, KeyPair } from './key-pair.ts';

export interface Serving {
	/** Undefined while it has not been signed yet. */
	current(): CertifiedKey | undefined;
	/** Keeps it good until the signal aborts. */
	follow(clock: Clock, log: Log, signal: AbortSignal): Promise<void>;
}

export interface ServingOptions {
	readonly settings: ServerSettings;
	/** Unless the settings name others. */
	readonly files: KeyPairFiles | undefined;
	readonly certDir: string;
	readonly nodeName: string;
	readonly addresses: readonly { readonly type: string; readonly address: string }[];
	readonly client: Client;
	readonly metrics: CertificateMetrics;
	readonly clock: Clock;
	readonly log: Log;
}

export async function openServing(options: ServingOptions): Promise<Serving> {
	const { settings, certDir, nodeName, addresses, client, metrics, clock, log } = options;
	const { certFile, keyFile = certFile } = settings;
	const files = certFile === undefined || keyFile === undefined ? options.files : { certFile, keyFile };
	if (files !== undefined && (certFile !== undefined || !settings.tlsBootstrap)) {
		const pair = await KeyPair.open(files, certFile === undefined ? fieldsOf('serving') : ['tlsCertFile', 'tlsPrivateKeyFile']);
		return { current: () => pair, follow: (...args) => pair.follow(...args) };
	}
	if (settings.tlsBootstrap) {
		const certificate = await RotatedCertificate.open({
			...{ client, clock, log },
			store: new CertificateStore(certDir, 'kubelet-server'),
			wanted: () => servingCertificate(nodeName, addresses),
			renewed: (ageSeconds) => metrics.serverRenewed(ageSeconds),
			failed: () => metrics.serverErrors.inc(),
		});
		metrics.watchServer(() => certificate.secondsLeft);
		return { current: () => certificate.current, follow: (_clock, _log, signal) => certificate.run(signal) };
	}
	const ips = addresses.filter((a) => a.type !== 'Hostname').map((a) => a.address);
	const pair = await selfSigned(certDir, { hostname: nodeName, addresses: ips }, clock);
	return { current: () => pair, follow: () => Promise.resolve() };
}
