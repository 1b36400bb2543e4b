import test from 'ava';
import { VirtualClock } from '../base/virtual-clock.ts';
import { accessFromKubeconfig } from './credentials.ts';
import { mergeKubeconfigs, parseKubeconfig } from './kubeconfig.ts';

const KUBECONFIG = `
apiVersion: v1
kind: Config
current-context: dev
clusters:
- {name: c1, cluster: {server: "https://h:1/p", certificate-authority-data: ${Buffer.from('CA').toString('base64')}}}
- {name: c2, cluster: {server: "https://h:2", certificate-authority: pki/ca.crt, insecure-skip-tls-verify: true}}
users:
- {name: u1, user: {token: abc, as: admin}}
- {name: u2, user: {client-certificate: /abs/cert, tokenFile: token}}
contexts:
- {name: dev, context: {cluster: c1, user: u1, namespace: team}}
- {name: odd, context: {cluster: gone, user: u1}}
`;

test('kubeconfig: data, relative paths, contexts, merge', async (t) => {
	const clock = new VirtualClock();
	const config = parseKubeconfig(KUBECONFIG, '/etc/kube', 'test');
	t.is(config.clusters.get('c2')?.['certificate-authority'], '/etc/kube/pki/ca.crt');
	t.is(config.users.get('u2')?.['client-certificate'], '/abs/cert');
	t.is(config.users.get('u2')?.tokenFile, '/etc/kube/token');
	const { transport, namespace } = accessFromKubeconfig(config, clock);
	t.like(transport, { server: 'https://h:1/p', headers: { 'impersonate-user': 'admin' } });
	t.is(namespace, 'team');
	t.is(await transport.token?.(), 'abc');
	t.deepEqual(typeof transport.tls === 'function' ? await transport.tls() : undefined, { ca: 'CA', cert: undefined, key: undefined });
	t.throws(() => accessFromKubeconfig(config, clock, 'odd'), { message: /names the cluster "gone"/ });
	t.throws(() => accessFromKubeconfig(config, clock, 'none'), { message: /no context "none"/ });
	t.throws(() => parseKubeconfig('a: [', '/', 'broken.yaml'), { message: /"broken.yaml" is not valid YAML/ });
	const other = parseKubeconfig(
		'current-context: x\nclusters: [{name: c1, cluster: {server: "https://other"}}, {name: c3, cluster: {}}]',
		'/',
		'o',
	);
	const merged = mergeKubeconfigs([config, other]);
	t.is(merged.currentContext, 'dev');
	t.is(merged.clusters.get('c1')?.server, 'https://h:1/p');
	t.true(merged.clusters.has('c3'));
});

for (const plugin of ['exec', 'auth-provider'])
	test(`kubeconfig: a user with ${plugin} is refused, not taken for nobody`, (t) => {
		const text = KUBECONFIG.replace('token: abc,', `${plugin}: {command: aws},`);
		t.throws(() => accessFromKubeconfig(parseKubeconfig(text, '/', 'x'), new VirtualClock()), {
			message: `The user "u1" of the kubeconfig has "${plugin}": credential plugins are not supported`,
		});
	});
