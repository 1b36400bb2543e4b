/** The bandwidth annotations of pods, as Kubernetes documents them: a quantity of bits a second each way. Pure. */
import { AppError } from '../../../base/errors.ts';

export interface Bandwidth {
	readonly ingressRate?: number;
	readonly ingressBurst?: number;
	readonly egressRate?: number;
	readonly egressBurst?: number;
}

export const INGRESS = 'kubernetes.io/ingress-bandwidth';
export const EGRESS = 'kubernetes.io/egress-bandwidth';

/** No limit to bursts, as upstream's runtimes ask for (math.MaxInt32). */
const BURST_BITS = 2 ** 31 - 1;
/** Upstream's bounds of a reasonable rate (pkg/util/bandwidth): 1 kbit/s and 1 Pbit/s. */
const [LEAST, MOST] = [1e3, 1e15];
const SUFFIXES: Readonly<Record<string, number>> = {
	...{ n: 1e-9, u: 1e-6, m: 1e-3, '': 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 },
	...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60 },
};

/** Undefined where the pod asks for no limit. Throws InvalidArgument. */
export function bandwidthOf(annotations: Readonly<Record<string, string>>): Bandwidth | undefined {
	const [ingress, egress] = [rateOf(INGRESS, annotations[INGRESS]), rateOf(EGRESS, annotations[EGRESS])];
	if (ingress === undefined && egress === undefined) return undefined;
	return {
		...(ingress === undefined ? {} : { ingressRate: ingress, ingressBurst: BURST_BITS }),
		...(egress === undefined ? {} : { egressRate: egress, egressBurst: BURST_BITS }),
	};
}

function rateOf(name: string, text: string | undefined): number | undefined {
	if (text === undefined) return undefined;
	const match = /^([+-]?(?:\d+\.?\d*|\.\d+))(?:([eE][+-]?\d+)|([numkMGTPE]|[KMGTPE]i)?)$/.exec(text);
	const value = match === null ? Number.NaN : Math.ceil(Number(`${match[1]}${match[2] ?? ''}`) * (SUFFIXES[match[3] ?? ''] as number));
	if (Number.isNaN(value)) throw new AppError('InvalidArgument', `Annotation ${name}: "${text}" is not a quantity`);
	if (value < LEAST) throw new AppError('InvalidArgument', `Annotation ${name}: "${text}" is unreasonably small (< 1kbit)`);
	if (value > MOST) throw new AppError('InvalidArgument', `Annotation ${name}: "${text}" is unreasonably large (> 1Pbit)`);
	return value;
}
