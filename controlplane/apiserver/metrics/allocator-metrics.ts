/** How often cluster IPs and node ports were handed out, and were not, under upstream's names (ipallocator/metrics.go, portallocator/metrics.go). */
import { Counter, DEFAULT_BUCKETS, Histogram, type Registry } from '../../../base/metrics.ts';

/** Whether somebody asked for this very one. */
export type Scope = 'static' | 'dynamic';

const ADDRESSES = 'kube_apiserver_clusterip_allocator';
const PORTS = 'kube_apiserver_nodeport_allocator';

export class AllocatorMetrics {
	readonly #addresses: Counter<'cidr' | 'scope'>;
	readonly #addressErrors: Counter<'cidr' | 'scope'>;
	readonly #seconds: Histogram<'cidr'>;
	readonly #ports: Counter<'scope'>;
	readonly #portErrors: Counter<'scope'>;
	readonly #portsWrong: Counter<'type'>;
	readonly #repairErrors: Counter;

	constructor(registry: Registry) {
		const registers = [registry];
		const scoped = ['cidr', 'scope'] as const;
		this.#addresses = new Counter({
			...{ name: `${ADDRESSES}_allocation_total`, help: 'Number of Cluster IPs allocations' },
			...{ labelNames: scoped, registers },
		});
		this.#addressErrors = new Counter({
			...{ name: `${ADDRESSES}_allocation_errors_total`, help: 'Number of errors trying to allocate Cluster IPs' },
			...{ labelNames: scoped, registers },
		});
		this.#seconds = new Histogram({
			...{ name: `${ADDRESSES}_allocation_duration_seconds`, help: 'Duration in seconds to allocate a Cluster IP by ServiceCIDR' },
			...{ labelNames: ['cidr'] as const, buckets: DEFAULT_BUCKETS, registers },
		});
		this.#ports = new Counter({
			...{ name: `${PORTS}_allocation_total`, help: 'Number of NodePort allocations' },
			...{ labelNames: ['scope'] as const, registers },
		});
		this.#portErrors = new Counter({
			...{ name: `${PORTS}_allocation_errors_total`, help: 'Number of errors trying to allocate NodePort' },
			...{ labelNames: ['scope'] as const, registers },
		});
		this.#portsWrong = new Counter({
			...{ name: 'apiserver_nodeport_repair_port_errors_total', labelNames: ['type'] as const, registers },
			help: 'Number of errors detected on ports by the repair loop broken down by type of error: leak, repair, full, outOfRange, duplicate, unknown',
		});
		this.#repairErrors = new Counter({
			...{ name: 'apiserver_nodeport_repair_reconcile_errors_total', registers },
			help: 'Number of reconciliation failures on the nodeport repair reconcile loop',
		});
	}

	/** A node port that a Service has wrongly, or none has. */
	portWrong(type: 'repair' | 'duplicate' | 'outOfRange' | 'leak'): void {
		this.#portsWrong.inc({ type });
	}
	/** What is written down of node ports was not put right. */
	repairFailed(): void {
		this.#repairErrors.inc();
	}
	address(cidr: string, scope: Scope, seconds: number): void {
		this.#addresses.inc({ cidr, scope });
		this.#seconds.observe({ cidr }, seconds);
	}
	addressRefused(cidr: string, scope: Scope): void {
		this.#addressErrors.inc({ cidr, scope });
	}
	port(scope: Scope): void {
		this.#ports.inc({ scope });
	}
	portRefused(scope: Scope): void {
		this.#portErrors.inc({ scope });
	}
}
