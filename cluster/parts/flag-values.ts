/** What the API server was started with, by upstream's names of flags and as upstream prints them; shown at /flagz. Pure. */
import { APISERVER_FLAGS } from './apiserver-flags.ts';
import type { ApiserverConfig } from './config.ts';

export function flagValues(config: ApiserverConfig): Readonly<Record<string, string>> {
	const given = config.flags ?? {};
	const flags = APISERVER_FLAGS.map(([name, type]) => {
		const value = given[name];
		if (type === 'list' || type === 'files') return [name, `[${value === undefined ? '' : String(value)}]`] as const;
		return [name, value === undefined ? '' : String(value)] as const;
	});
	const text = (name: string, unless = ''): string => String(given[name] ?? unless);
	return {
		...Object.fromEntries(flags),
		'advertise-address': config.advertiseAddress,
		'bind-address': config.bindAddress,
		'secure-port': String(config.port),
		'service-cluster-ip-range': config.serviceSubnet,
		'client-ca-file': config.clientCaFile,
		'service-account-signing-key-file': config.serviceAccountKeyFile,
		'tls-cert-file': config.serving.certFile,
		'tls-private-key-file': config.serving.keyFile,
		'kubelet-client-certificate': config.kubeletClient.certFile,
		'kubelet-client-key': config.kubeletClient.keyFile,
		'proxy-client-cert-file': text('proxy-client-cert-file', config.frontProxy?.client.certFile),
		'proxy-client-key-file': text('proxy-client-key-file', config.frontProxy?.client.keyFile),
		'encryption-provider-config': config.encryptionConfigFile ?? '',
	};
}
