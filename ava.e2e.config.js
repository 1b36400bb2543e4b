// Whatever needs the real engine (the shim's integration, end-to-end, crash and conformance tests): one file after the other, since they share it.
import config from './ava.config.js';

export default {
	...config,
	files: ['cri/**/*.integration.test.ts', 'test/e2e/**/*.test.ts', 'test/crash/**/*.test.ts', 'test/conformance/**/*.test.ts'],
	concurrency: 1,
	timeout: '15m',
};
