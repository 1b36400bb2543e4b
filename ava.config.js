// Tests run the TypeScript sources as they are. Worker threads are off: threads with large .ts graphs crash Node 24.
import { writeFileSync } from 'node:fs';

export default {
	files: [
		'**/*.test.ts',
		'!test/e2e/**',
		'!test/conformance/**',
		'!test/crash/**',
		'!cri/**/*.integration.test.ts',
		'!dist/**',
		'!.cache/**',
	],
	extensions: ['ts'],
	workerThreads: false,
	timeout: '2m',
	nodeArguments: ['--disable-warning=ExperimentalWarning'],
	nonSemVerExperiments: { observeRunsFromConfig: true },
	observeRun({ events }) {
		return (async () => {
			let stats;
			for await (const event of events) if (event.type === 'stats') stats = event.stats;
			if (process.env.AVA_STATS_FILE && stats) writeFileSync(process.env.AVA_STATS_FILE, JSON.stringify(stats));
		})();
	},
};
