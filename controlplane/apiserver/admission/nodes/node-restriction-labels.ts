/** Which labels of its own node a kubelet may not set: those that schedulers and administrators rely on. Pure. */
import { REGION_LABEL, ZONE_LABEL } from '../../../../api/topology-labels.ts';

/** Reserved for administrators, to keep workloads apart. */
const RESTRICTED_DOMAIN = 'node-restriction.kubernetes.io';
/** Labels and domains under kubernetes.io and k8s.io that kubelets may set (upstream's kubeletapis). */
const ALLOWED = new Set([
	'kubernetes.io/hostname',
	REGION_LABEL,
	ZONE_LABEL,
	'failure-domain.beta.kubernetes.io/region',
	'failure-domain.beta.kubernetes.io/zone',
	'node.kubernetes.io/instance-type',
	'beta.kubernetes.io/instance-type',
	'kubernetes.io/os',
	'kubernetes.io/arch',
	'beta.kubernetes.io/os',
	'beta.kubernetes.io/arch',
	'node.kubernetes.io/windows-build',
]);
const ALLOWED_DOMAINS = ['kubelet.kubernetes.io', 'node.kubernetes.io'];

/** The changed labels that a kubelet may not touch, sorted. */
export function forbiddenNodeLabels(now: Readonly<Record<string, string>>, before: Readonly<Record<string, string>>): readonly string[] {
	const changed = [...new Set([...Object.keys(now), ...Object.keys(before)])].filter((key) => now[key] !== before[key]);
	return changed.filter((key) => !mayChange(key)).sort();
}

function mayChange(key: string): boolean {
	const domain = key.includes('/') ? key.slice(0, key.indexOf('/')) : '';
	if (under(domain, RESTRICTED_DOMAIN)) return false;
	if (!under(domain, 'kubernetes.io') && !under(domain, 'k8s.io')) return true;
	return ALLOWED.has(key) || ALLOWED_DOMAINS.some((allowed) => under(domain, allowed));
}

function under(domain: string, parent: string): boolean {
	return domain === parent || domain.endsWith(`.${parent}`);
}
