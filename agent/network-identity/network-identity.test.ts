/** What a pod is called, what its hosts file says, and whom it asks for names. */
import test from 'ava';
import type { PodSpec } from '../../api/gen/types.ts';
import { pod } from '../../test/fakes/pods.ts';
import { dnsOf, noResolver, parseResolvConf, resolvConfFault, type DnsConfig } from './dns.ts';
import { hostNamesOf } from './hostname.ts';
import { hostNetworkHostsFile, hostsFile } from './hosts.ts';

const HOST: DnsConfig = { servers: ['10.1.1.1'], searches: ['corp', 'c.local'], options: ['edns0'] };
const CLUSTER = { servers: ['10.0.0.10'], searches: ['n.svc.c.local', 'svc.c.local', 'c.local', 'corp'], options: ['ndots:5'] };

for (const [name, spec, want] of [
	['ClusterFirst unless told', {}, CLUSTER],
	["ClusterFirst on the host network is the node's", { hostNetwork: true }, HOST],
	['ClusterFirstWithHostNet', { hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' }, CLUSTER],
	['Default', { dnsPolicy: 'Default' }, HOST],
	['None', { dnsPolicy: 'None', dnsConfig: { nameservers: ['1.1.1.1'] } }, { servers: ['1.1.1.1'], searches: [], options: [] }],
	[
		'what the pod adds, each once, options over those there',
		{
			dnsConfig: {
				nameservers: ['10.0.0.10', '1.1.1.1'],
				searches: ['corp', 'x'],
				options: [{ name: 'ndots', value: '2' }, { name: 'rotate' }],
			},
		},
		{ servers: ['10.0.0.10', '1.1.1.1'], searches: [...CLUSTER.searches, 'x'], options: ['ndots:2', 'rotate'] },
	],
] as const)
	test(`dnsOf(): ${name}`, (t) => {
		const { warnings, ...dns } = dnsOf(pod(spec as Partial<PodSpec>), { clusterDns: ['10.0.0.10'], clusterDomain: 'c.local', host: HOST });
		t.deepEqual(dns, want);
		t.deepEqual(warnings, []);
	});

test("dnsOf(): a cluster without DNS is told of, and the node's resolver is had", (t) => {
	const { warnings, ...dns } = dnsOf(pod({}), { clusterDns: [], clusterDomain: 'c.local', host: HOST });
	t.deepEqual(dns, HOST);
	const ofNode =
		'kubelet does not have ClusterDNS IP configured and cannot create Pod using "ClusterFirst" policy. Falling back to "Default" policy.';
	t.deepEqual(warnings, [{ reason: 'MissingClusterDNS', message: `pod: "p_n(u)". ${ofNode}`, ofNode }]);
});

const letters = (length: number, from = 'a'): string => from.repeat(length);
for (const [name, dnsConfig, servers, searches, told] of [
	[
		'three servers',
		{ nameservers: ['1', '2', '3', '4'] },
		['1', '2', '3'],
		[],
		'Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line is: 1 2 3',
	],
	[
		'32 search paths',
		{ searches: Array.from({ length: 33 }, (_, i) => `s${i}`) },
		[],
		Array.from({ length: 32 }, (_, i) => `s${i}`),
		undefined,
	],
	['paths of 253 characters', { searches: [letters(254), letters(253), 'x'] }, [], [letters(253), 'x'], undefined],
	[
		'2048 characters',
		{ searches: Array.from({ length: 9 }, (_, i) => letters(253, String(i))) },
		[],
		Array.from({ length: 8 }, (_, i) => letters(253, String(i))),
		undefined,
	],
] as const)
	test(`dnsOf(): no more than ${name}`, (t) => {
		const settings = { clusterDns: [], clusterDomain: '', host: HOST };
		const dns = dnsOf(pod({ dnsPolicy: 'None', dnsConfig: dnsConfig as never }), settings);
		t.deepEqual([dns.servers, dns.searches], [[...servers], [...searches]]);
		const message =
			told ?? `Search Line limits were exceeded, some search paths have been omitted, the applied search line is: ${searches.join(' ')}`;
		t.deepEqual(dns.warnings, [{ reason: 'DNSConfigForming', message }]);
	});

for (const [name, text, want] of [
	['comments begin lines', '# a\n  # b\nnameserver 1.1.1.1 # c\n', { servers: ['1.1.1.1'], searches: [], options: [] }],
	['the last search counts, dots at the end do not', 'search a\nsearch b. . c\n', { servers: [], searches: ['b', 'c'], options: [] }],
	['options add up, each once', 'options ndots:1 rotate\noptions ndots:2\n', { servers: [], searches: [], options: ['ndots:2', 'rotate'] }],
	['a domain is no search', 'domain x\n', { servers: [], searches: [], options: [] }],
] as const)
	test(`parseResolvConf(): ${name}`, (t) => t.deepEqual(parseResolvConf(text), want as DnsConfig));

const words = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => `d${i}`);
for (const [name, searches, domain, want] of [
	['as much as goes beside the cluster', words(29), 'c', undefined],
	['one more', words(30), 'c', "Resolv.conf file '/r' contains search line consisting of more than 29 domains!"],
	['as much as goes where there is no cluster', words(32), '', undefined],
	['a long one', [letters(254)], 'c', 'Resolv.conf file "/r" contains a search path which length is more than allowed 253 chars!'],
	[
		'2048 characters',
		Array.from({ length: 9 }, () => letters(253)),
		'c',
		"Resolv.conf file '/r' contains search line which length is more than allowed 2048 chars!",
	],
] as const)
	test(`resolvConfFault(): ${name}`, (t) => t.is(resolvConfFault('/r', { servers: [], searches, options: [] }, domain), want));

test('a node that is told of no resolv.conf asks itself', (t) => {
	t.deepEqual(noResolver(['192.0.2.1', 'fd00::1']), { servers: ['127.0.0.1', '::1'], searches: ['.'], options: [] });
	t.deepEqual(noResolver([]).servers, ['127.0.0.1']);
	const settings = { clusterDns: ['10.96.0.10'], clusterDomain: 'cluster.local', host: noResolver([]) };
	t.deepEqual(dnsOf(pod({ dnsPolicy: 'Default' }), settings).searches, ['.']);
	t.deepEqual(dnsOf(pod(), settings).searches, ['n.svc.cluster.local', 'svc.cluster.local', 'cluster.local']);
});

const LONG = 'x'.repeat(62);
for (const [name, podName, spec, want] of [
	["the pod's name", 'web.0', {}, ['web.0', 'web.0', '']],
	['its own', 'p', { hostname: 'h' }, ['h', 'h', '']],
	['at most 63 characters, and no dot at the end', `${LONG}.y`, {}, [LONG, LONG, '']],
	['with a subdomain', 'p', { hostname: 'h', subdomain: 's' }, ['h', 'h', 'h.s.n.svc.c.local']],
	['the whole name', 'p', { subdomain: 's', setHostnameAsFQDN: true }, ['p.s.n.svc.c.local', 'p', 'p.s.n.svc.c.local']],
	['another name altogether', 'p', { subdomain: 's', hostnameOverride: `${LONG}-yz` }, [LONG, LONG, '']],
	["the node's", 'p', { hostNetwork: true }, ['node', 'node', '']],
] as const)
	test(`hostNamesOf(): ${name}`, (t) => {
		const { hostname, short, fqdn } = hostNamesOf(pod(spec, { name: podName }), 'c.local', 'node');
		t.deepEqual([hostname, short, fqdn], [...want]);
	});

test('hostNamesOf(): a whole name of more than 64 characters', (t) => {
	t.throws(() => hostNamesOf(pod({ hostname: 'x'.repeat(63), subdomain: 's', setHostnameAsFQDN: true }), 'c.local', 'node'), {
		message:
			/^Failed to construct FQDN from pod hostname and cluster domain, FQDN x+\.s\.n\.svc\.c\.local is too long \(64 characters is the max, 79 characters requested\)$/,
	});
});

const LOCAL =
	'127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\nfe00::0\tip6-localnet\nfe00::0\tip6-mcastprefix\nfe00::1\tip6-allnodes\nfe00::2\tip6-allrouters\n';
const ALIASES = [{ ip: '1.2.3.4', hostnames: ['a', 'b'] }];
const ADDED = '\n# Entries added by HostAliases.\n1.2.3.4\ta\tb\n';
for (const [name, file, want] of [
	['a pod', hostsFile(['10.0.0.1', 'fd00::1'], 'p', '', []), `# Kubernetes-managed hosts file.\n${LOCAL}10.0.0.1\tp\nfd00::1\tp\n`],
	['a pod with a domain', hostsFile(['10.0.0.1'], 'p', 'p.s', []), `# Kubernetes-managed hosts file.\n${LOCAL}10.0.0.1\tp.s\tp\n`],
	['aliases', hostsFile([], 'p', '', ALIASES), `# Kubernetes-managed hosts file.\n${LOCAL}${ADDED}`],
	[
		'a pod of the host network',
		hostNetworkHostsFile('1.1.1.1 x\n', ALIASES),
		`# Kubernetes-managed hosts file (host network).\n1.1.1.1 x\n${ADDED}`,
	],
] as const)
	test(`the hosts file of ${name}`, (t) => t.is(file, want));
