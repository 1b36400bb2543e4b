/** The CRI shim as a part. */
import type { Service } from '../../base/service.ts';
import { createShim } from '../../cri/shim.ts';
import { VERSION } from '../version.ts';
import type { PartDeps } from './apiserver.ts';
import type { CriConfig } from './config.ts';

export function criService(config: CriConfig, deps: PartDeps): Service {
	return createShim({ ...config, version: VERSION }, deps);
}
