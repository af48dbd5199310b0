BEGIN TRANSACTION;
CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_millis BIGINT NOT NULL);
INSERT INTO schema_version VALUES(1,1794971107249);
INSERT INTO schema_version VALUES(2,1794971107290);
INSERT INTO schema_version VALUES(3,1794971107307);
INSERT INTO schema_version VALUES(4,1794971107318);
INSERT INTO schema_version VALUES(5,1794971107341);
CREATE TABLE meta (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    epoch BIGINT NOT NULL,
    ticket BIGINT NOT NULL,
    last_seq BIGINT NOT NULL,
    writer TEXT NOT NULL,
    since_millis BIGINT NOT NULL
, home TEXT NOT NULL DEFAULT '', home_place TEXT NOT NULL DEFAULT '');
INSERT INTO meta VALUES(1,2,18,69,'pid 30992 on vm',1794971165645,'4331a41f3885133887725b65037dab7a@3d1219c7c4c5404aaa1f6d2a48adfda4','data folder /srv/fermata on vm');
CREATE TABLE line (
    seq INTEGER PRIMARY KEY,
    at_millis BIGINT NOT NULL,
    job BIGINT NOT NULL,
    attempt INTEGER NOT NULL,
    actor TEXT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    owner TEXT NOT NULL
);
INSERT INTO line VALUES(1,1794971114140,1,0,'root','Submitted','{"v":1,"job":{"id":1,"name":"batch-1","user":"root","queue":"default","jobClass":"BATCH","demand":{"minGpus":2,"maxGpus":2,"gpuMemoryMib":0,"gpuMilli":1000,"gpuTypes":[],"cpuMilliPerGpu":0,"memoryMibPerGpu":0},"profile":{"model":"train_plain.py","iterationMillis":100.0,"busyShare":1.0,"gradientMib":0.0,"layers":1,"peakMemoryMib":0,"speedByType":{},"stretchBeside":{}},"costs":{"pauseMillis":5000,"buildMillis":10000,"restoreMillis":0,"warmupMillis":0},"declaredMillis":0,"iterations":0,"graceMillis":120000,"checkpointMillis":0,"priority":0,"maxPreemptions":2147483647,"maxOutOfMemory":1,"limitMillis":0,"minRuntimeMillis":0,"after":[],"bundle":{"id":-1,"index":0,"atMost":0},"locality":{"enough":"NODE","waitMillis":2305843009213693951},"trial":{"kind":0,"waitMillis":0}}}','root');
INSERT INTO line VALUES(2,1794971114140,1,1,'policy','Started','{"v":1,"jobId":1,"attempt":1,"allocation":{"gpus":[0,1]},"resumed":false}','root');
INSERT INTO line VALUES(3,1794971114482,1,1,'engine','Running','{"v":1,"jobId":1,"attempt":1,"paceMicro":1000000}','root');
INSERT INTO line VALUES(4,1794971115924,1,0,'engine','Shown','{"attempt":1,"measured":{"startMillis":264,"buildMillis":2,"restoreMillis":-1,"warmupMillis":124,"loadMillis":390,"pauseMillis":-1,"saveMillis":-1,"keptByPause":-1,"iterationMicros":303,"busyPermille":-1,"peakMemoryMib":-1,"savedBytes":-1,"checkpointEveryMillis":-1,"savedAtMillis":-1,"step":801,"savedStep":0,"totalSteps":4000,"beside":[]},"learned":{"kind":{"command":"train_plain.py","model":"","gpuType":"GPU","gpus":2},"unsound":[],"failedMemoryMib":-1,"instead":null}}','root');
INSERT INTO line VALUES(5,1794971115924,1,1,'daemon','Changed','{"v":1,"job":{"id":1,"name":"batch-1","user":"root","queue":"default","jobClass":"BATCH","demand":{"minGpus":2,"maxGpus":2,"gpuMemoryMib":0,"gpuMilli":1000,"gpuTypes":[],"cpuMilliPerGpu":0,"memoryMibPerGpu":0},"profile":{"model":"train_plain.py","iterationMillis":0.3,"busyShare":1.0,"gradientMib":0.0,"layers":1,"peakMemoryMib":0,"speedByType":{},"stretchBeside":{}},"costs":{"pauseMillis":5000,"buildMillis":266,"restoreMillis":0,"warmupMillis":124},"declaredMillis":0,"iterations":0,"graceMillis":120000,"checkpointMillis":0,"priority":0,"maxPreemptions":2147483647,"maxOutOfMemory":1,"limitMillis":0,"minRuntimeMillis":0,"after":[],"bundle":{"id":-1,"index":0,"atMost":0},"locality":{"enough":"NODE","waitMillis":2305843009213693951},"trial":{"kind":0,"waitMillis":0}}}','root');
INSERT INTO line VALUES(6,1794971116124,2,0,'root','Submitted','{"v":1,"job":{"id":2,"name":"batch-2","user":"root","queue":"default","jobClass":"BATCH","demand":{"minGpus":2,"maxGpus":2,"gpuMemoryMib":0,"gpuMilli":1000,"gpuTypes":[],"cpuMilliPerGpu":0,"memoryMibPerGpu":0},"profile":{"model":"train_plain.py","iterationMillis":0.3,"busyShare":1.0,"gradientMib":0.0,"layers":1,"peakMemoryMib":0,"speedByType":{},"stretchBeside":{}},"costs":{"pauseMillis":5000,"buildMillis":266,"restoreMillis":0,"warmupMillis":124},"declaredMillis":0,"iterations":0,"graceMillis":120000,"checkpointMillis":0,"priority":0,"maxPreemptions":2147483647,"maxOutOfMemory":1,"limitMillis":0,"minRuntimeMillis":0,"after":[],"bundle":{"id":-1,"index":0,"atMost":0},"locality":{"enough":"NODE","waitMillis":2305843009213693951},"trial":{"kind":0,"waitMillis":0}}}','root');
INSERT INTO line VALUES(7,1794971116124,2,1,'policy','Started','{"v":1,"jobId":2,"attempt":1,"allocation":{"gpus":[2,3]},"resumed":false}','root');
INSERT INTO line VALUES(8,1794971116421,2,1,'engine','Running','{"v":1,"jobId":2,"attempt":1,"paceMicro":1000000}','root');
INSERT INTO line VALUES(9,1794971117437,2,0,'engine','Shown','{"attempt":1,"measured":{"startMillis":280,"buildMillis":2,"restoreMillis":-1,"warmupMillis":1,"loadMillis":283,"pauseMillis":-1,"saveMillis":-1,"keptByPause":-1,"iterationMicros":802,"busyPermille":-1,"peakMemoryMib":-1,"savedBytes":-1,"checkpointEveryMillis":-1,"savedAtMillis":-1,"step":314,"savedStep":0,"totalSteps":4000,"beside":[]},"learned":{"kind":{"command":"train_plain.py","model":"","gpuType":"GPU","gpus":2},"unsound":[],"failedMemoryMib":-1,"instead":null}}','root');
INSERT INTO line VALUES(10,1794971118008,3,0,'root','Submitted','{"v":1,"job":{"id":3,"name":"batch-3","user":"root","queue":"default","jobClass":"BATCH","demand":{"minGpus":2,"maxGpus":2,"gpuMemoryMib":0,"gpuMilli":1000,"gpuTypes":[],"cpuMilliPerGpu":0,"memoryMibPerGpu":0},"profile":{"model":"train_plain.py","iterationMillis":0.3,"busyShare":1.0,"gradientMib":0.0,"layers":1,"peakMemoryMib":0,"speedByType":{},"stretchBeside":{}},"costs":{"pauseMillis":5000,"buildMillis":266,"restoreMillis":0,"warmupMillis":1},"declaredMillis":0,"iterations":0,"graceMillis":120000,"checkpointMillis":0,"priority":0,"maxPreemptions":2147483647,"maxOutOfMemory":1,"limitMillis":0,"minRuntimeMillis":0,"after":[],"bundle":{"id":-1,"index":0,"atMost":0},"locality":{"enough":"NODE","waitMillis":2305843009213693951},"trial":{"kind":0,"waitMillis":0}}}','root');
INSERT INTO line VALUES(11,1794971119062,3,0,'daemon','Foreseen','{"asOfMillis":1794971119022,"p50Millis":1794971119489,"p90Millis":1794971119563,"scenarios":29}','root');
INSERT INTO line VALUES(12,1794971120561,1,1,'engine','Left','{"v":1,"jobId":1,"attempt":1,"outcome":"COMPLETED","usage":{"loadMillis":390,"usefulMillis":5747,"lostMillis":0,"pauseMillis":0,"communicationMillis":0,"savedWorkMillis":5747},"next":"COMPLETED","exit":{"code":0,"signal":0,"detail":"","shortage":"NONE","endedMillis":-1},"measured":{"startMillis":264,"buildMillis":2,"restoreMillis":-1,"warmupMillis":124,"loadMillis":390,"pauseMillis":-1,"saveMillis":-1,"keptByPause":-1,"iterationMicros":493,"busyPermille":-1,"peakMemoryMib":-1,"savedBytes":10341,"checkpointEveryMillis":-1,"savedAtMillis":1794971120483,"step":4000,"savedStep":4000,"totalSteps":4000,"beside":[]},"learned":{"kind":{"command":"train_plain.py","model":"","gpuType":"GPU","gpus":2},"unsound":[],"failedMemoryMib":-1,"instead":{"startMillis":264,"buildMillis":2,"restoreMillis":-1,"warmupMillis":124,"loadMillis":390,"pauseMillis":-1,"saveMillis":-1,"keptByPause":-1,"iterationMicros":303,"busyPermille":-1,"peakMemoryMib":-1,"savedBytes":-1,"checkpointEveryMillis":-1,"savedAtMillis":-1,"step":801,"savedStep":0,"totalSteps":4000,"beside":[]}},"progress":{"attempt":1,"atMillis":1794971120484,"kind":"step","step":4000,"total":4000,"metricName":"loss","metric":0.010890924935948707,"knownMillis":1794971115912}}','root');
INSERT INTO line VALUES(13,1794971120561,3,1,'policy','Started','{"v":1,"jobId":3,"attempt":1,"allocation":{"gpus":[0,1]},"resumed":false}','root');
INSERT INTO line VALUES(14,1794971121021,3,1,'engine','Running','{"v":1,"jobId":3,"attempt":1,"paceMicro":1000000}','root');
INSERT INTO line VALUES(15,1794971121962,3,0,'engine','Shown','{"attempt":1,"measured":{"startMillis":429,"buildMillis":10,"restoreMillis":-1,"warmupMillis":8,"loadMillis":447,"pauseMillis":-1,"saveMillis":-1,"keptByPause":-1,"iterationMicros":515,"busyPermille":-1,"peakMemoryMib":-1,"savedBytes":-1,"checkpointEveryMillis":-1,"savedAtMillis":-1,"step":385,"savedStep":0,"totalSteps":4000,"beside":[]},"learned":{"kind":{"command":"train_plain.py","model":"","gpuType":"GPU","gpus":2},"unsound":[],"failedMemoryMib":-1,"instead":null}}','root');
INSERT INTO line VALUES(16,1794971122533,2,1,'engine','Left','{"v":1,"jobId":2,"attempt":1,"outcome":"COMPLETED","usage":{"loadMillis":283,"usefulMillis":6011,"lostMillis":0,"pauseMillis":0,"communicationMillis":0,"savedWorkMillis":6011},"next":"COMPLETED","exit":{"code":0,"signal":0,"detail":"","shortage":"NONE","endedMillis":-1},"measured":{"startMillis":280,"buildMillis":2,"restoreMillis":-1,"warmupMillis":1,"loadMillis":283,"pauseMillis":-1,"saveMillis":-1,"keptByPause":-1,"iterationMicros":607,"busyPermille":-1,"peakMemoryMib":-1,"savedBytes":10341,"checkpointEveryMillis":-1,"savedAtMillis":1794971122377,"step":4000,"savedStep":4000,"totalSteps":4000,"beside":[]},"learned":{"kind":{"command":"train_plain.py","model":"","gpuType":"GPU","gpus":2},"unsound":[],"failedMemoryMib":-1,"instead":{"startMillis":280,"buildMillis":2,"restoreMillis":-1,"warmupMillis":1,"loadMillis":283,"pauseMillis":-1,"saveMillis":-1,"keptByPause":-1,"iterationMicros":802,"busyPermille":-1,"peakMemoryMib":-1,"savedBytes":-1,"checkpointEveryMillis":-1,"savedAtMillis":-1,"step":314,"savedStep":0,"totalSteps":4000,"beside":[]}},"progress":{"attempt":1,"atMillis":1794971122378,"kind":"step","step":4000,"total":4000,"metricName":"loss","metric":0.010890924935948707,"knownMillis":1794971117434}}','root');
INSERT INTO line VALUES(17,1794971123099,4,0,'root','Submitted','{"v":1,"job":{"id":4,"name":"trial-1","user":"root","queue":"default","jobClass":"TRIAL","demand":{"minGpus":2,"maxGpus":2,"gpuMemoryMib":0,"gpuMilli":1000,"gpuTypes":[],"cpuMilliPerGpu":0,"memoryMibPerGpu":0},"profile":{"model":"sleep 1","iterationMillis":100.0,"busyShare":1.0,"gradientMib":0.0,"layers":1,"peakMemoryMib":0,"speedByType":{},"stretchBeside":{}},"costs":{"pauseMillis":5000,"buildMillis":10000,"restoreMillis":0,"warmupMillis":0},"declaredMillis":0,"iterations":0,"graceMillis":120000,"checkpointMillis":0,"priority":0,"maxPreemptions":2147483647,"maxOutOfMemory":1,"limitMillis":0,"minRuntimeMillis":0,"after":[],"bundle":{"id":-1,"index":0,"atMost":0},"locality":{"enough":"NODE","waitMillis":2305843009213693951},"trial":{"kind":0,"waitMillis":0}}}','root');
INSERT INTO line VALUES(18,1794971123099,4,1,'policy','Started','{"v":1,"jobId":4,"attempt":1,"allocation":{"gpus":[2,3]},"resumed":false}','root');
INSERT INTO line VALUES(19,1794971123143,4,1,'engine','Running','{"v":1,"jobId":4,"attempt":1,"paceMicro":1000000}','root');
INSERT INTO line VALUES(20,1794971124224,4,1,'engine','Left','{"v":1,"jobId":4,"attempt":1,"outcome":"COMPLETED","usage":{"loadMillis":0,"usefulMillis":1075,"lostMillis":0,"pauseMillis":0,"communicationMillis":0,"savedWorkMillis":1075},"next":"COMPLETED","exit":{"code":0,"signal":0,"detail":"","shortage":"NONE","endedMillis":-1}}','root');
INSERT INTO line VALUES(21,1794971124547,5,0,'root','Submitted','{"v":1,"job":{"id":5,"name":"sleep","user":"root","queue":"default","jobClass":"BATCH","demand":{"minGpus":1,"maxGpus":1,"gpuMemoryMib":0,"gpuMilli":1000,"gpuTypes":[],"cpuMilliPerGpu":0,"memoryMibPerGpu":0},"profile":{"model":"sleep 1","iterationMillis":100.0,"busyShare":1.0,"gradientMib":0.0,"layers":1,"peakMemoryMib":0,"speedByType":{},"stretchBeside":{}},"costs":{"pauseMillis":5000,"buildMillis":10000,"restoreMillis":0,"warmupMillis":0},"declaredMillis":0,"iterations":0,"graceMillis":120000,"checkpointMillis":0,"priority":0,"maxPreemptions":2147483647,"maxOutOfMemory":1,"limitMillis":0,"minRuntimeMillis":0,"after":[],"bundle":{"id":-1,"index":0,"atMost":0},"locality":{"enough":"NODE","waitMillis":2305843009213693951},"trial":{"kind":0,"waitMillis":0}}}','root');
INSERT INTO line VALUES(22,1794971124547,5,0,'root','Held','{"v":1,"jobId":5}','root');
INSERT INTO line VALUES(23,1794971125372,3,1,'engine','Left','{"v":1,"jobId":3,"attempt":1,"outcome":"COMPLETED","usage":{"loadMillis":447,"usefulMillis":4309,"lostMillis":0,"pauseMillis":0,"communicationMillis":0,"savedWorkMillis":4309},"next":"COMPLETED","exit":{"code":0,"signal":0,"detail":"","shortage":"NONE","endedMillis":-1},"measured":{"startMillis":429,"buildMillis":10,"restoreMillis":-1,"warmupMillis":8,"loadMillis":447,"pauseMillis":-1,"saveMillis":-1,"keptByPause":-1,"iterationMicros":379,"busyPermille":-1,"peakMemoryMib":-1,"savedBytes":10341,"checkpointEveryMillis":-1,"savedAtMillis":1794971125300,"step":4000,"savedStep":4000,"totalSteps":4000,"beside":[]},"learned":{"kind":{"command":"train_plain.py","model":"","gpuType":"GPU","gpus":2},"unsound":[],"failedMemoryMib":-1,"instead":{"startMillis":429,"buildMillis":10,"restoreMillis":-1,"warmupMillis":8,"loadMillis":447,"pauseMillis":-1,"saveMillis":-1,"keptByPause":-1,"iterationMicros":515,"busyPermille":-1,"peakMemoryMib":-1,"savedBytes":-1,"checkpointEveryMillis":-1,"savedAtMillis":-1,"step":385,"savedStep":0,"totalSteps":4000,"beside":[]}},"progress":{"attempt":1,"atMillis":1794971125301,"kind":"step","step":4000,"total":4000,"metricName":"loss","metric":0.010890924935948707,"knownMillis":1794971121962}}','root');
INSERT INTO line VALUES(24,1794971127881,6,0,'root','Submitted','{"v":1,"job":{"id":6,"name":"true","user":"root","queue":"default","jobClass":"BATCH","demand":{"minGpus":1,"maxGpus":1,"gpuMemoryMib":0,"gpuMilli":1000,"gpuTypes":[],"cpuMilliPerGpu":0,"memoryMibPerGpu":0},"profile":{"model":"true","iterationMillis":100.0,"busyShare":1.0,"gradientMib":0.0,"layers":1,"peakMemoryMib":0,"speedByType":{},"stretchBeside":{}},"costs":{"pauseMillis":5000,"buildMillis":10000,"restoreMillis":0,"warmupMillis":0},"declaredMillis":0,"iterations":0,"graceMillis":120000,"checkpointMillis":0,"priority":0,"maxPreemptions":2147483647,"maxOutOfMemory":1,"limitMillis":0,"minRuntimeMillis":0,"after":[],"bundle":{"id":6,"index":0,"atMost":0},"locality":{"enough":"NODE","waitMillis":2305843009213693951},"trial":{"kind":0,"waitMillis":0}}}','root');
INSERT INTO line VALUES(25,1794971127881,7,0,'root','Submitted','{"v":1,"job":{"id":7,"name":"true","user":"root","queue":"default","jobClass":"BATCH","demand":{"minGpus":1,"maxGpus":1,"gpuMemoryMib":0,"gpuMilli":1000,"gpuTypes":[],"cpuMilliPerGpu":0,"memoryMibPerGpu":0},"profile":{"model":"true","iterationMillis":100.0,"busyShare":1.0,"gradientMib":0.0,"layers":1,"peakMemoryMib":0,"speedByType":{},"stretchBeside":{}},"costs":{"pauseMillis":5000,"buildMillis":10000,"restoreMillis":0,"warmupMillis":0},"declaredMillis":0,"iterations":0,"graceMillis":120000,"checkpointMillis":0,"priority":0,"maxPreemptions":2147483647,"maxOutOfMemory":1,"limitMillis":0,"minRuntimeMillis":0,"after":[],"bundle":{"id":6,"index":1,"atMost":0},"locality":{"enough":"NODE","waitMillis":2305843009213693951},"trial":{"kind":0,"waitMillis":0}}}','root');
INSERT INTO line VALUES(26,1794971127881,8,0,'root','Submitted','{"v":1,"job":{"id":8,"name":"true","user":"root","queue":"default","jobClass":"BATCH","demand":{"minGpus":1,"maxGpus":1,"gpuMemoryMib":0,"gpuMilli":1000,"gpuTypes":[],"cpuMilliPerGpu":0,"memoryMibPerGpu":0},"profile":{"model":"true","iterationMillis":100.0,"busyShare":1.0,"gradientMib":0.0,"layers":1,"peakMemoryMib":0,"speedByType":{},"stretchBeside":{}},"costs":{"pauseMillis":5000,"buildMillis":10000,"restoreMillis":0,"warmupMillis":0},"declaredMillis":0,"iterations":0,"graceMillis":120000,"checkpointMillis":0,"priority":0,"maxPreemptions":2147483647,"maxOutOfMemory":1,"limitMillis":0,"minRuntimeMillis":0,"after":[],"bundle":{"id":6,"index":2,"atMost":0},"locality":{"enough":"NODE","waitMillis":2305843009213693951},"trial":{"kind":0,"waitMillis":0}}}','root');
INSERT INTO line VALUES(27,1794971127881,6,1,'policy','Started','{"v":1,"jobId":6,"attempt":1,"allocation":{"gpus":[0]},"resumed":false}','root');
INSERT INTO line VALUES(28,1794971127881,7,1,'policy','Started','{"v":1,"jobId":7,"attempt":1,"allocation":{"gpus":[1]},"resumed":false}','root');
INSERT INTO line VALUES(29,1794971127881,8,1,'policy','Started','{"v":1,"jobId":8,"attempt":1,"allocation":{"gpus":[2]},"resumed":false}','root');
INSERT INTO line VALUES(30,1794971127932,6,1,'engine','Running','{"v":1,"jobId":6,"attempt":1,"paceMicro":1000000}','root');
INSERT INTO line VALUES(31,1794971127955,7,1,'engine','Running','{"v":1,"jobId":7,"attempt":1,"paceMicro":1000000}','root');
INSERT INTO line VALUES(32,1794971127969,8,1,'engine','Running','{"v":1,"jobId":8,"attempt":1,"paceMicro":1000000}','root');
INSERT INTO line VALUES(33,1794971127982,6,1,'engine','Left','{"v":1,"jobId":6,"attempt":1,"outcome":"COMPLETED","usage":{"loadMillis":0,"usefulMillis":35,"lostMillis":0,"pauseMillis":0,"communicationMillis":0,"savedWorkMillis":35},"next":"COMPLETED","exit":{"code":0,"signal":0,"detail":"","shortage":"NONE","endedMillis":-1}}','root');
INSERT INTO line VALUES(34,1794971127996,8,1,'engine','Left','{"v":1,"jobId":8,"attempt":1,"outcome":"COMPLETED","usage":{"loadMillis":0,"usefulMillis":65,"lostMillis":0,"pauseMillis":0,"communicationMillis":0,"savedWorkMillis":65},"next":"COMPLETED","exit":{"code":0,"signal":0,"detail":"","shortage":"NONE","endedMillis":-1}}','root');
INSERT INTO line VALUES(35,1794971128004,7,1,'engine','Left','{"v":1,"jobId":7,"attempt":1,"outcome":"COMPLETED","usage":{"loadMillis":0,"usefulMillis":65,"lostMillis":0,"pauseMillis":0,"communicationMillis":0,"savedWorkMillis":65},"next":"COMPLETED","exit":{"code":0,"signal":0,"detail":"","shortage":"NONE","endedMillis":-1}}','root');
INSERT INTO line VALUES(36,1794971129646,9,0,'root','Submitted','{"v":1,"job":{"id":9,"name":"true","user":"root","queue":"default","jobClass":"BATCH","demand":{"minGpus":1,"maxGpus":1,"gpuMemoryMib":0,"gpuMilli":1000,"gpuTypes":[],"cpuMilliPerGpu":0,"memoryMibPerGpu":0},"profile":{"model":"true","iterationMillis":100.0,"busyShare":1.0,"gradientMib":0.0,"layers":1,"peakMemoryMib":0,"speedByType":{},"stretchBeside":{}},"costs":{"pauseMillis":5000,"buildMillis":10000,"restoreMillis":0,"warmupMillis":0},"declaredMillis":0,"iterations":0,"graceMillis":120000,"checkpointMillis":0,"priority":0,"maxPreemptions":2147483647,"maxOutOfMemory":1,"limitMillis":0,"minRuntimeMillis":0,"after":[],"bundle":{"id":-1,"index":0,"atMost":0},"locality":{"enough":"NODE","waitMillis":2305843009213693951},"trial":{"kind":0,"waitMillis":0}}}','root');
INSERT INTO line VALUES(37,1794971129646,9,1,'policy','Started','{"v":1,"jobId":9,"attempt":1,"allocation":{"gpus":[0]},"resumed":false}','root');
INSERT INTO line VALUES(38,1794971129681,9,1,'engine','Running','{"v":1,"jobId":9,"attempt":1,"paceMicro":1000000}','root');
INSERT INTO line VALUES(39,1794971129723,9,1,'engine','Left','{"v":1,"jobId":9,"attempt":1,"outcome":"COMPLETED","usage":{"loadMillis":0,"usefulMillis":37,"lostMillis":0,"pauseMillis":0,"communicationMillis":0,"savedWorkMillis":37},"next":"COMPLETED","exit":{"code":0,"signal":0,"detail":"","shortage":"NONE","endedMillis":-1}}','root');
INSERT INTO line VALUES(40,1794971170030,-1,0,'root','QueuesSet','{"v":1,"rules":[{"path":"research","guaranteeGpus":1,"limitGpus":2147483647,"weight":1.0}]}','');
INSERT INTO line VALUES(41,1794971172028,10,0,'root','Submitted','{"v":1,"job":{"id":10,"name":"long-1","user":"root","queue":"default","jobClass":"BATCH","demand":{"minGpus":2,"maxGpus":2,"gpuMemoryMib":0,"gpuMilli":1000,"gpuTypes":[],"cpuMilliPerGpu":0,"memoryMibPerGpu":0},"profile":{"model":"train_plain.py","iterationMillis":0.49,"busyShare":1.0,"gradientMib":0.0,"layers":1,"peakMemoryMib":0,"speedByType":{},"stretchBeside":{}},"costs":{"pauseMillis":5000,"buildMillis":282,"restoreMillis":0,"warmupMillis":8},"declaredMillis":0,"iterations":0,"graceMillis":120000,"checkpointMillis":0,"priority":0,"maxPreemptions":2147483647,"maxOutOfMemory":1,"limitMillis":0,"minRuntimeMillis":0,"after":[],"bundle":{"id":-1,"index":0,"atMost":0},"locality":{"enough":"NODE","waitMillis":2305843009213693951},"trial":{"kind":0,"waitMillis":0}}}','root');
INSERT INTO line VALUES(42,1794971172028,10,1,'policy','Started','{"v":1,"jobId":10,"attempt":1,"allocation":{"gpus":[0,1]},"resumed":false}','root');
INSERT INTO line VALUES(43,1794971172751,10,1,'engine','Running','{"v":1,"jobId":10,"attempt":1,"paceMicro":1000000}','root');
INSERT INTO line VALUES(44,1794971173697,10,0,'engine','Shown','{"attempt":1,"measured":{"startMillis":634,"buildMillis":18,"restoreMillis":-1,"warmupMillis":6,"loadMillis":658,"pauseMillis":-1,"saveMillis":-1,"keptByPause":-1,"iterationMicros":778,"busyPermille":-1,"peakMemoryMib":-1,"savedBytes":-1,"checkpointEveryMillis":-1,"savedAtMillis":-1,"step":328,"savedStep":0,"totalSteps":900000,"beside":[]},"learned":{"kind":{"command":"train_plain.py","model":"","gpuType":"GPU","gpus":2},"unsound":[],"failedMemoryMib":-1,"instead":null}}','root');
INSERT INTO line VALUES(45,1794971174029,11,0,'root','Submitted','{"v":1,"job":{"id":11,"name":"long-2","user":"root","queue":"default","jobClass":"BATCH","demand":{"minGpus":2,"maxGpus":2,"gpuMemoryMib":0,"gpuMilli":1000,"gpuTypes":[],"cpuMilliPerGpu":0,"memoryMibPerGpu":0},"profile":{"model":"train_plain.py","iterationMillis":0.49,"busyShare":1.0,"gradientMib":0.0,"layers":1,"peakMemoryMib":0,"speedByType":{},"stretchBeside":{}},"costs":{"pauseMillis":5000,"buildMillis":282,"restoreMillis":0,"warmupMillis":6},"declaredMillis":0,"iterations":0,"graceMillis":120000,"checkpointMillis":0,"priority":0,"maxPreemptions":2147483647,"maxOutOfMemory":1,"limitMillis":0,"minRuntimeMillis":0,"after":[],"bundle":{"id":-1,"index":0,"atMost":0},"locality":{"enough":"NODE","waitMillis":2305843009213693951},"trial":{"kind":0,"waitMillis":0}}}','root');
INSERT INTO line VALUES(46,1794971174029,11,1,'policy','Started','{"v":1,"jobId":11,"attempt":1,"allocation":{"gpus":[2,3]},"resumed":false}','root');
INSERT INTO line VALUES(47,1794971174750,11,1,'engine','Running','{"v":1,"jobId":11,"attempt":1,"paceMicro":1000000}','root');
INSERT INTO line VALUES(48,1794971175749,11,0,'engine','Shown','{"attempt":1,"measured":{"startMillis":692,"buildMillis":2,"restoreMillis":-1,"warmupMillis":1,"loadMillis":695,"pauseMillis":-1,"saveMillis":-1,"keptByPause":-1,"iterationMicros":725,"busyPermille":-1,"peakMemoryMib":-1,"savedBytes":-1,"checkpointEveryMillis":-1,"savedAtMillis":-1,"step":567,"savedStep":0,"totalSteps":900000,"beside":[]},"learned":{"kind":{"command":"train_plain.py","model":"","gpuType":"GPU","gpus":2},"unsound":[],"failedMemoryMib":-1,"instead":null}}','root');
INSERT INTO line VALUES(49,1794971179822,12,0,'root','Submitted','{"v":1,"job":{"id":12,"name":"trial-2","user":"root","queue":"default","jobClass":"TRIAL","demand":{"minGpus":2,"maxGpus":2,"gpuMemoryMib":0,"gpuMilli":1000,"gpuTypes":[],"cpuMilliPerGpu":0,"memoryMibPerGpu":0},"profile":{"model":"sleep 40","iterationMillis":100.0,"busyShare":1.0,"gradientMib":0.0,"layers":1,"peakMemoryMib":0,"speedByType":{},"stretchBeside":{}},"costs":{"pauseMillis":5000,"buildMillis":10000,"restoreMillis":0,"warmupMillis":0},"declaredMillis":0,"iterations":0,"graceMillis":120000,"checkpointMillis":0,"priority":0,"maxPreemptions":2147483647,"maxOutOfMemory":1,"limitMillis":0,"minRuntimeMillis":0,"after":[],"bundle":{"id":-1,"index":0,"atMost":0},"locality":{"enough":"NODE","waitMillis":2305843009213693951},"trial":{"kind":0,"waitMillis":0}}}','root');
INSERT INTO line VALUES(50,1794971179822,11,1,'policy','Pausing','{"v":1,"jobId":11,"attempt":1,"beneficiary":12,"gainMillis":1092570,"costMillis":1007007,"policy":"fermata"}','root');
INSERT INTO line VALUES(51,1794971179822,12,0,'policy','Promised','{"v":1,"jobId":12,"allocation":{"gpus":[2,3]}}','root');
INSERT INTO line VALUES(52,1794971180170,11,1,'engine','Left','{"v":1,"jobId":11,"attempt":1,"outcome":"PAUSED","usage":{"loadMillis":695,"usefulMillis":5147,"lostMillis":0,"pauseMillis":276,"communicationMillis":0,"savedWorkMillis":5147},"next":"PENDING","exit":{"code":null,"signal":15,"detail":"","shortage":"NONE","endedMillis":-1},"measured":{"startMillis":692,"buildMillis":2,"restoreMillis":-1,"warmupMillis":1,"loadMillis":695,"pauseMillis":276,"saveMillis":144,"keptByPause":1,"iterationMicros":544,"busyPermille":-1,"peakMemoryMib":-1,"savedBytes":10341,"checkpointEveryMillis":-1,"savedAtMillis":1794971180030,"step":2499,"savedStep":2499,"totalSteps":900000,"beside":[]},"learned":{"kind":{"command":"train_plain.py","model":"","gpuType":"GPU","gpus":2},"unsound":[],"failedMemoryMib":-1,"instead":{"startMillis":692,"buildMillis":2,"restoreMillis":-1,"warmupMillis":1,"loadMillis":695,"pauseMillis":-1,"saveMillis":-1,"keptByPause":-1,"iterationMicros":725,"busyPermille":-1,"peakMemoryMib":-1,"savedBytes":-1,"checkpointEveryMillis":-1,"savedAtMillis":-1,"step":567,"savedStep":0,"totalSteps":900000,"beside":[]}},"progress":{"attempt":1,"atMillis":1794971180030,"kind":"saved","step":2499,"total":900000,"metricName":"loss","metric":0.0191982557823242,"knownMillis":1794971175745}}','root');
INSERT INTO line VALUES(53,1794971180170,11,1,'daemon','Changed','{"v":1,"job":{"id":11,"name":"long-2","user":"root","queue":"default","jobClass":"BATCH","demand":{"minGpus":2,"maxGpus":2,"gpuMemoryMib":0,"gpuMilli":1000,"gpuTypes":[],"cpuMilliPerGpu":0,"memoryMibPerGpu":0},"profile":{"model":"train_plain.py","iterationMillis":0.54,"busyShare":1.0,"gradientMib":0.0,"layers":1,"peakMemoryMib":0,"speedByType":{},"stretchBeside":{}},"costs":{"pauseMillis":276,"buildMillis":431,"restoreMillis":0,"warmupMillis":6},"declaredMillis":0,"iterations":0,"graceMillis":120000,"checkpointMillis":0,"priority":0,"maxPreemptions":2147483647,"maxOutOfMemory":1,"limitMillis":0,"minRuntimeMillis":0,"after":[],"bundle":{"id":-1,"index":0,"atMost":0},"locality":{"enough":"NODE","waitMillis":2305843009213693951},"trial":{"kind":0,"waitMillis":0}}}','root');
INSERT INTO line VALUES(54,1794971180170,10,1,'daemon','Changed','{"v":1,"job":{"id":10,"name":"long-1","user":"root","queue":"default","jobClass":"BATCH","demand":{"minGpus":2,"maxGpus":2,"gpuMemoryMib":0,"gpuMilli":1000,"gpuTypes":[],"cpuMilliPerGpu":0,"memoryMibPerGpu":0},"profile":{"model":"train_plain.py","iterationMillis":0.54,"busyShare":1.0,"gradientMib":0.0,"layers":1,"peakMemoryMib":0,"speedByType":{},"stretchBeside":{}},"costs":{"pauseMillis":276,"buildMillis":431,"restoreMillis":0,"warmupMillis":6},"declaredMillis":0,"iterations":0,"graceMillis":120000,"checkpointMillis":0,"priority":0,"maxPreemptions":2147483647,"maxOutOfMemory":1,"limitMillis":0,"minRuntimeMillis":0,"after":[],"bundle":{"id":-1,"index":0,"atMost":0},"locality":{"enough":"NODE","waitMillis":2305843009213693951},"trial":{"kind":0,"waitMillis":0}}}','root');
INSERT INTO line VALUES(55,1794971180170,12,1,'policy','Started','{"v":1,"jobId":12,"attempt":1,"allocation":{"gpus":[2,3]},"resumed":false}','root');
INSERT INTO line VALUES(56,1794971180170,10,1,'policy','Pausing','{"v":1,"jobId":10,"attempt":1,"beneficiary":11,"gainMillis":548471,"costMillis":489391,"policy":"fermata"}','root');
INSERT INTO line VALUES(57,1794971180170,11,1,'policy','Promised','{"v":1,"jobId":11,"allocation":{"gpus":[0,1]}}','root');
INSERT INTO line VALUES(58,1794971180298,12,1,'engine','Running','{"v":1,"jobId":12,"attempt":1,"paceMicro":1000000}','root');
INSERT INTO line VALUES(59,1794971180433,10,1,'engine','Left','{"v":1,"jobId":10,"attempt":1,"outcome":"PAUSED","usage":{"loadMillis":658,"usefulMillis":7513,"lostMillis":0,"pauseMillis":178,"communicationMillis":0,"savedWorkMillis":7513},"next":"PENDING","exit":{"code":null,"signal":15,"detail":"","shortage":"NONE","endedMillis":-1},"measured":{"startMillis":634,"buildMillis":18,"restoreMillis":-1,"warmupMillis":6,"loadMillis":658,"pauseMillis":178,"saveMillis":67,"keptByPause":1,"iterationMicros":270,"busyPermille":-1,"peakMemoryMib":-1,"savedBytes":10348,"checkpointEveryMillis":-1,"savedAtMillis":1794971180317,"step":3456,"savedStep":3456,"totalSteps":900000,"beside":[]},"learned":{"kind":{"command":"train_plain.py","model":"","gpuType":"GPU","gpus":2},"unsound":[],"failedMemoryMib":-1,"instead":{"startMillis":634,"buildMillis":18,"restoreMillis":-1,"warmupMillis":6,"loadMillis":658,"pauseMillis":-1,"saveMillis":-1,"keptByPause":-1,"iterationMicros":778,"busyPermille":-1,"peakMemoryMib":-1,"savedBytes":-1,"checkpointEveryMillis":-1,"savedAtMillis":-1,"step":328,"savedStep":0,"totalSteps":900000,"beside":[]}},"progress":{"attempt":1,"atMillis":1794971180317,"kind":"saved","step":3456,"total":900000,"metricName":"loss","metric":0.019860806632501966,"knownMillis":1794971173691}}','root');
INSERT INTO line VALUES(60,1794971180433,11,2,'policy','Started','{"v":1,"jobId":11,"attempt":2,"allocation":{"gpus":[0,1]},"resumed":true}','root');
INSERT INTO line VALUES(61,1794971180866,11,2,'engine','Running','{"v":1,"jobId":11,"attempt":2,"paceMicro":1000000}','root');
INSERT INTO line VALUES(62,1794971181822,11,0,'engine','Shown','{"attempt":2,"measured":{"startMillis":357,"buildMillis":14,"restoreMillis":0,"warmupMillis":0,"loadMillis":371,"pauseMillis":-1,"saveMillis":-1,"keptByPause":-1,"iterationMicros":353,"busyPermille":-1,"peakMemoryMib":-1,"savedBytes":-1,"checkpointEveryMillis":-1,"savedAtMillis":-1,"step":3138,"savedStep":2499,"totalSteps":900000,"beside":[]},"learned":{"kind":{"command":"train_plain.py","model":"","gpuType":"GPU","gpus":2},"unsound":[],"failedMemoryMib":-1,"instead":null}}','root');
INSERT INTO line VALUES(63,1794971183300,10,0,'daemon','Foreseen','{"asOfMillis":1794971183211,"p50Millis":1794971183487,"p90Millis":1794971183487,"scenarios":29}','root');
INSERT INTO line VALUES(64,1794971185234,13,0,'root','Submitted','{"v":1,"job":{"id":13,"name":"big","user":"root","queue":"default","jobClass":"BATCH","demand":{"minGpus":4,"maxGpus":4,"gpuMemoryMib":0,"gpuMilli":1000,"gpuTypes":[],"cpuMilliPerGpu":0,"memoryMibPerGpu":0},"profile":{"model":"sleep 9","iterationMillis":100.0,"busyShare":1.0,"gradientMib":0.0,"layers":1,"peakMemoryMib":0,"speedByType":{},"stretchBeside":{}},"costs":{"pauseMillis":5000,"buildMillis":10000,"restoreMillis":0,"warmupMillis":0},"declaredMillis":0,"iterations":0,"graceMillis":120000,"checkpointMillis":0,"priority":0,"maxPreemptions":2147483647,"maxOutOfMemory":1,"limitMillis":0,"minRuntimeMillis":0,"after":[],"bundle":{"id":-1,"index":0,"atMost":0},"locality":{"enough":"NODE","waitMillis":2305843009213693951},"trial":{"kind":0,"waitMillis":0}}}','root');
INSERT INTO line VALUES(65,1794971187738,13,0,'root','Changed','{"v":1,"job":{"id":13,"name":"big","user":"root","queue":"default","jobClass":"BATCH","demand":{"minGpus":4,"maxGpus":4,"gpuMemoryMib":0,"gpuMilli":1000,"gpuTypes":[],"cpuMilliPerGpu":0,"memoryMibPerGpu":0},"profile":{"model":"sleep 9","iterationMillis":100.0,"busyShare":1.0,"gradientMib":0.0,"layers":1,"peakMemoryMib":0,"speedByType":{},"stretchBeside":{}},"costs":{"pauseMillis":5000,"buildMillis":10000,"restoreMillis":0,"warmupMillis":0},"declaredMillis":0,"iterations":0,"graceMillis":120000,"checkpointMillis":0,"priority":5,"maxPreemptions":2147483647,"maxOutOfMemory":1,"limitMillis":0,"minRuntimeMillis":0,"after":[],"bundle":{"id":-1,"index":0,"atMost":0},"locality":{"enough":"NODE","waitMillis":2305843009213693951},"trial":{"kind":0,"waitMillis":0}}}','root');
INSERT INTO line VALUES(66,1794971187738,13,0,'policy','Refrained','{"v":1,"jobId":13,"victims":2,"gainMillis":0,"costMillis":265872,"policy":"fermata"}','root');
INSERT INTO line VALUES(67,1794971188647,13,0,'daemon','Foreseen','{"asOfMillis":1794971188313,"p50Millis":1794974872722,"p90Millis":1795006851698,"scenarios":29}','root');
INSERT INTO line VALUES(68,1794971194679,-1,0,'root','Capacity','{"v":1,"isNode":true,"index":0,"up":false,"gpusUp":0}','');
INSERT INTO line VALUES(69,1794971194679,-1,0,'root','Drained','{"node":0,"drained":true}','');
CREATE TABLE job (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    owner TEXT NOT NULL,
    queue TEXT NOT NULL,
    class TEXT NOT NULL,
    gpus INTEGER NOT NULL,
    priority INTEGER NOT NULL,
    state TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    preemptions INTEGER NOT NULL,
    submitted_millis BIGINT NOT NULL,
    since_millis BIGINT NOT NULL,
    first_start_millis BIGINT NOT NULL,
    finished_millis BIGINT NOT NULL,
    wait_millis BIGINT NOT NULL,
    run_millis BIGINT NOT NULL,
    held TEXT NOT NULL,
    on_hold INTEGER NOT NULL,
    exit_code INTEGER,
    detail TEXT NOT NULL,
    array_id BIGINT NOT NULL,
    array_index INTEGER NOT NULL
);
INSERT INTO job VALUES(1,'batch-1','root','default','batch',2,0,'COMPLETED',1,0,1794971114140,1794971120561,1794971114140,1794971120561,0,6079,'',0,0,'',-1,0);
INSERT INTO job VALUES(2,'batch-2','root','default','batch',2,0,'COMPLETED',1,0,1794971116124,1794971122533,1794971116124,1794971122533,0,6112,'',0,0,'',-1,0);
INSERT INTO job VALUES(3,'batch-3','root','default','batch',2,0,'COMPLETED',1,0,1794971118008,1794971125372,1794971120561,1794971125372,2553,4351,'',0,0,'',-1,0);
INSERT INTO job VALUES(4,'trial-1','root','default','trial',2,0,'COMPLETED',1,0,1794971123099,1794971124224,1794971123099,1794971124224,0,1081,'',0,0,'',-1,0);
INSERT INTO job VALUES(5,'sleep','root','default','batch',1,0,'PENDING',0,0,1794971124547,1794971124547,-1,-1,0,0,'',1,NULL,'',-1,0);
INSERT INTO job VALUES(6,'true','root','default','batch',1,0,'COMPLETED',1,0,1794971127881,1794971127982,1794971127881,1794971127982,0,50,'',0,0,'',6,0);
INSERT INTO job VALUES(7,'true','root','default','batch',1,0,'COMPLETED',1,0,1794971127881,1794971128004,1794971127881,1794971128004,0,49,'',0,0,'',6,1);
INSERT INTO job VALUES(8,'true','root','default','batch',1,0,'COMPLETED',1,0,1794971127881,1794971127996,1794971127881,1794971127996,0,27,'',0,0,'',6,2);
INSERT INTO job VALUES(9,'true','root','default','batch',1,0,'COMPLETED',1,0,1794971129646,1794971129723,1794971129646,1794971129723,0,42,'',0,0,'',-1,0);
INSERT INTO job VALUES(10,'long-1','root','default','batch',2,0,'PENDING',1,1,1794971172028,1794971180433,1794971172028,-1,0,7419,'',0,NULL,'',-1,0);
INSERT INTO job VALUES(11,'long-2','root','default','batch',2,0,'RUNNING',2,1,1794971174029,1794971180866,1794971174029,-1,263,5072,'0,1',0,NULL,'',-1,0);
INSERT INTO job VALUES(12,'trial-2','root','default','trial',2,0,'RUNNING',1,0,1794971179822,1794971180298,1794971180170,-1,348,0,'2,3',0,NULL,'',-1,0);
INSERT INTO job VALUES(13,'big','root','default','batch',4,5,'PENDING',0,0,1794971185234,1794971185234,-1,-1,0,0,'',0,NULL,'',-1,0);
CREATE TABLE spec (
    job INTEGER PRIMARY KEY,
    body TEXT NOT NULL
);
INSERT INTO spec VALUES(1,'{"name":"batch-1","queue":"default","jobClass":"BATCH","minGpus":2,"maxGpus":2,"accelerators":[],"gpuMemoryMib":0,"cpuMilli":0,"memoryMib":0,"timeMillis":0,"limitMillis":0,"priority":0,"hold":false,"locality":{"want":"any","waitMillis":-1},"preempt":{"graceMillis":120000,"minRuntimeMillis":0,"maxTimes":2147483647,"onPreempt":"requeue"},"checkpoint":{"signal":"TERM","dir":"checkpoints","everyMillis":0},"after":[],"array":{"index":0,"size":0,"atMost":0},"ranks":1,"env":{"PATH":"/usr/bin:/bin"},"secrets":[],"workdir":"/srv/train","run":"python3 /srv/train/train_plain.py --steps 4000"}');
INSERT INTO spec VALUES(2,'{"name":"batch-2","queue":"default","jobClass":"BATCH","minGpus":2,"maxGpus":2,"accelerators":[],"gpuMemoryMib":0,"cpuMilli":0,"memoryMib":0,"timeMillis":0,"limitMillis":0,"priority":0,"hold":false,"locality":{"want":"any","waitMillis":-1},"preempt":{"graceMillis":120000,"minRuntimeMillis":0,"maxTimes":2147483647,"onPreempt":"requeue"},"checkpoint":{"signal":"TERM","dir":"checkpoints","everyMillis":0},"after":[],"array":{"index":0,"size":0,"atMost":0},"ranks":1,"env":{"PATH":"/usr/bin:/bin"},"secrets":[],"workdir":"/srv/train","run":"python3 /srv/train/train_plain.py --steps 4000"}');
INSERT INTO spec VALUES(3,'{"name":"batch-3","queue":"default","jobClass":"BATCH","minGpus":2,"maxGpus":2,"accelerators":[],"gpuMemoryMib":0,"cpuMilli":0,"memoryMib":0,"timeMillis":0,"limitMillis":0,"priority":0,"hold":false,"locality":{"want":"any","waitMillis":-1},"preempt":{"graceMillis":120000,"minRuntimeMillis":0,"maxTimes":2147483647,"onPreempt":"requeue"},"checkpoint":{"signal":"TERM","dir":"checkpoints","everyMillis":0},"after":[],"array":{"index":0,"size":0,"atMost":0},"ranks":1,"env":{"PATH":"/usr/bin:/bin"},"secrets":[],"workdir":"/srv/train","run":"python3 /srv/train/train_plain.py --steps 4000"}');
INSERT INTO spec VALUES(4,'{"name":"trial-1","queue":"default","jobClass":"TRIAL","minGpus":2,"maxGpus":2,"accelerators":[],"gpuMemoryMib":0,"cpuMilli":0,"memoryMib":0,"timeMillis":0,"limitMillis":0,"priority":0,"hold":false,"locality":{"want":"any","waitMillis":-1},"preempt":{"graceMillis":120000,"minRuntimeMillis":0,"maxTimes":2147483647,"onPreempt":"requeue"},"checkpoint":{"signal":"TERM","dir":"checkpoints","everyMillis":0},"after":[],"array":{"index":0,"size":0,"atMost":0},"ranks":1,"env":{"PATH":"/usr/bin:/bin"},"secrets":[],"workdir":"/srv/train","run":"sleep 1"}');
INSERT INTO spec VALUES(5,'{"name":"sleep","queue":"default","jobClass":"BATCH","minGpus":1,"maxGpus":1,"accelerators":[],"gpuMemoryMib":0,"cpuMilli":0,"memoryMib":0,"timeMillis":0,"limitMillis":0,"priority":0,"hold":true,"locality":{"want":"any","waitMillis":-1},"preempt":{"graceMillis":120000,"minRuntimeMillis":0,"maxTimes":2147483647,"onPreempt":"requeue"},"checkpoint":{"signal":"TERM","dir":"checkpoints","everyMillis":0},"after":[],"array":{"index":0,"size":0,"atMost":0},"ranks":1,"env":{"PATH":"/usr/bin:/bin"},"secrets":[],"workdir":"/srv/train","run":"sleep 1"}');
INSERT INTO spec VALUES(6,'{"name":"true","queue":"default","jobClass":"BATCH","minGpus":1,"maxGpus":1,"accelerators":[],"gpuMemoryMib":0,"cpuMilli":0,"memoryMib":0,"timeMillis":0,"limitMillis":0,"priority":0,"hold":false,"locality":{"want":"any","waitMillis":-1},"preempt":{"graceMillis":120000,"minRuntimeMillis":0,"maxTimes":2147483647,"onPreempt":"requeue"},"checkpoint":{"signal":"TERM","dir":"checkpoints","everyMillis":0},"after":[],"array":{"index":0,"size":3,"atMost":0},"ranks":1,"env":{"PATH":"/usr/bin:/bin"},"secrets":[],"workdir":"/srv/train","run":"true"}');
INSERT INTO spec VALUES(7,'{"name":"true","queue":"default","jobClass":"BATCH","minGpus":1,"maxGpus":1,"accelerators":[],"gpuMemoryMib":0,"cpuMilli":0,"memoryMib":0,"timeMillis":0,"limitMillis":0,"priority":0,"hold":false,"locality":{"want":"any","waitMillis":-1},"preempt":{"graceMillis":120000,"minRuntimeMillis":0,"maxTimes":2147483647,"onPreempt":"requeue"},"checkpoint":{"signal":"TERM","dir":"checkpoints","everyMillis":0},"after":[],"array":{"index":1,"size":3,"atMost":0},"ranks":1,"env":{"PATH":"/usr/bin:/bin"},"secrets":[],"workdir":"/srv/train","run":"true"}');
INSERT INTO spec VALUES(8,'{"name":"true","queue":"default","jobClass":"BATCH","minGpus":1,"maxGpus":1,"accelerators":[],"gpuMemoryMib":0,"cpuMilli":0,"memoryMib":0,"timeMillis":0,"limitMillis":0,"priority":0,"hold":false,"locality":{"want":"any","waitMillis":-1},"preempt":{"graceMillis":120000,"minRuntimeMillis":0,"maxTimes":2147483647,"onPreempt":"requeue"},"checkpoint":{"signal":"TERM","dir":"checkpoints","everyMillis":0},"after":[],"array":{"index":2,"size":3,"atMost":0},"ranks":1,"env":{"PATH":"/usr/bin:/bin"},"secrets":[],"workdir":"/srv/train","run":"true"}');
INSERT INTO spec VALUES(9,'{"name":"true","queue":"default","jobClass":"BATCH","minGpus":1,"maxGpus":1,"accelerators":[],"gpuMemoryMib":0,"cpuMilli":0,"memoryMib":0,"timeMillis":0,"limitMillis":0,"priority":0,"hold":false,"locality":{"want":"any","waitMillis":-1},"preempt":{"graceMillis":120000,"minRuntimeMillis":0,"maxTimes":2147483647,"onPreempt":"requeue"},"checkpoint":{"signal":"TERM","dir":"checkpoints","everyMillis":0},"after":[{"jobId":4,"wanted":"SUCCESS"}],"array":{"index":0,"size":0,"atMost":0},"ranks":1,"env":{"PATH":"/usr/bin:/bin"},"secrets":[],"workdir":"/srv/train","run":"true"}');
INSERT INTO spec VALUES(10,'{"name":"long-1","queue":"default","jobClass":"BATCH","minGpus":2,"maxGpus":2,"accelerators":[],"gpuMemoryMib":0,"cpuMilli":0,"memoryMib":0,"timeMillis":0,"limitMillis":0,"priority":0,"hold":false,"locality":{"want":"any","waitMillis":-1},"preempt":{"graceMillis":120000,"minRuntimeMillis":0,"maxTimes":2147483647,"onPreempt":"requeue"},"checkpoint":{"signal":"TERM","dir":"checkpoints","everyMillis":0},"after":[],"array":{"index":0,"size":0,"atMost":0},"ranks":1,"env":{"PATH":"/usr/bin:/bin"},"secrets":[],"workdir":"/srv/train","run":"python3 /srv/train/train_plain.py --steps 900000"}');
INSERT INTO spec VALUES(11,'{"name":"long-2","queue":"default","jobClass":"BATCH","minGpus":2,"maxGpus":2,"accelerators":[],"gpuMemoryMib":0,"cpuMilli":0,"memoryMib":0,"timeMillis":0,"limitMillis":0,"priority":0,"hold":false,"locality":{"want":"any","waitMillis":-1},"preempt":{"graceMillis":120000,"minRuntimeMillis":0,"maxTimes":2147483647,"onPreempt":"requeue"},"checkpoint":{"signal":"TERM","dir":"checkpoints","everyMillis":0},"after":[],"array":{"index":0,"size":0,"atMost":0},"ranks":1,"env":{"PATH":"/usr/bin:/bin"},"secrets":[],"workdir":"/srv/train","run":"python3 /srv/train/train_plain.py --steps 900000"}');
INSERT INTO spec VALUES(12,'{"name":"trial-2","queue":"default","jobClass":"TRIAL","minGpus":2,"maxGpus":2,"accelerators":[],"gpuMemoryMib":0,"cpuMilli":0,"memoryMib":0,"timeMillis":0,"limitMillis":0,"priority":0,"hold":false,"locality":{"want":"any","waitMillis":-1},"preempt":{"graceMillis":120000,"minRuntimeMillis":0,"maxTimes":2147483647,"onPreempt":"requeue"},"checkpoint":{"signal":"TERM","dir":"checkpoints","everyMillis":0},"after":[],"array":{"index":0,"size":0,"atMost":0},"ranks":1,"env":{"PATH":"/usr/bin:/bin"},"secrets":[],"workdir":"/srv/train","run":"sleep 40"}');
INSERT INTO spec VALUES(13,'{"name":"big","queue":"default","jobClass":"BATCH","minGpus":4,"maxGpus":4,"accelerators":[],"gpuMemoryMib":0,"cpuMilli":0,"memoryMib":0,"timeMillis":0,"limitMillis":0,"priority":5,"hold":false,"locality":{"want":"any","waitMillis":-1},"preempt":{"graceMillis":120000,"minRuntimeMillis":0,"maxTimes":2147483647,"onPreempt":"requeue"},"checkpoint":{"signal":"TERM","dir":"checkpoints","everyMillis":0},"after":[],"array":{"index":0,"size":0,"atMost":0},"ranks":1,"env":{"PATH":"/usr/bin:/bin"},"secrets":[],"workdir":"/srv/train","run":"sleep 9"}');
CREATE TABLE run (
    job BIGINT NOT NULL,
    attempt INTEGER NOT NULL,
    gpus TEXT NOT NULL,
    started_millis BIGINT NOT NULL,
    running_millis BIGINT NOT NULL,
    pausing_millis BIGINT NOT NULL,
    left_millis BIGINT NOT NULL,
    outcome TEXT NOT NULL,
    exit_code INTEGER,
    signal INTEGER NOT NULL,
    detail TEXT NOT NULL,
    load_millis BIGINT NOT NULL,
    useful_millis BIGINT NOT NULL,
    lost_millis BIGINT NOT NULL,
    pause_millis BIGINT NOT NULL,
    saved_work_millis BIGINT NOT NULL,
    beneficiary BIGINT NOT NULL,
    gain_millis BIGINT NOT NULL,
    cost_millis BIGINT NOT NULL, measured TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (job, attempt)
);
INSERT INTO run VALUES(1,1,'0,1',1794971114140,1794971114482,-1,1794971120561,'COMPLETED',0,0,'',390,5747,0,0,5747,-1,0,0,'{"startMillis":264,"buildMillis":2,"restoreMillis":-1,"warmupMillis":124,"loadMillis":390,"pauseMillis":-1,"saveMillis":-1,"keptByPause":-1,"iterationMicros":493,"busyPermille":-1,"peakMemoryMib":-1,"savedBytes":10341,"checkpointEveryMillis":-1,"savedAtMillis":1794971120483,"step":4000,"savedStep":4000,"totalSteps":4000,"beside":[]}');
INSERT INTO run VALUES(2,1,'2,3',1794971116124,1794971116421,-1,1794971122533,'COMPLETED',0,0,'',283,6011,0,0,6011,-1,0,0,'{"startMillis":280,"buildMillis":2,"restoreMillis":-1,"warmupMillis":1,"loadMillis":283,"pauseMillis":-1,"saveMillis":-1,"keptByPause":-1,"iterationMicros":607,"busyPermille":-1,"peakMemoryMib":-1,"savedBytes":10341,"checkpointEveryMillis":-1,"savedAtMillis":1794971122377,"step":4000,"savedStep":4000,"totalSteps":4000,"beside":[]}');
INSERT INTO run VALUES(3,1,'0,1',1794971120561,1794971121021,-1,1794971125372,'COMPLETED',0,0,'',447,4309,0,0,4309,-1,0,0,'{"startMillis":429,"buildMillis":10,"restoreMillis":-1,"warmupMillis":8,"loadMillis":447,"pauseMillis":-1,"saveMillis":-1,"keptByPause":-1,"iterationMicros":379,"busyPermille":-1,"peakMemoryMib":-1,"savedBytes":10341,"checkpointEveryMillis":-1,"savedAtMillis":1794971125300,"step":4000,"savedStep":4000,"totalSteps":4000,"beside":[]}');
INSERT INTO run VALUES(4,1,'2,3',1794971123099,1794971123143,-1,1794971124224,'COMPLETED',0,0,'',0,1075,0,0,1075,-1,0,0,'');
INSERT INTO run VALUES(6,1,'0',1794971127881,1794971127932,-1,1794971127982,'COMPLETED',0,0,'',0,35,0,0,35,-1,0,0,'');
INSERT INTO run VALUES(7,1,'1',1794971127881,1794971127955,-1,1794971128004,'COMPLETED',0,0,'',0,65,0,0,65,-1,0,0,'');
INSERT INTO run VALUES(8,1,'2',1794971127881,1794971127969,-1,1794971127996,'COMPLETED',0,0,'',0,65,0,0,65,-1,0,0,'');
INSERT INTO run VALUES(9,1,'0',1794971129646,1794971129681,-1,1794971129723,'COMPLETED',0,0,'',0,37,0,0,37,-1,0,0,'');
INSERT INTO run VALUES(10,1,'0,1',1794971172028,1794971172751,1794971180170,1794971180433,'PAUSED',NULL,15,'',658,7513,0,178,7513,11,548471,489391,'{"startMillis":634,"buildMillis":18,"restoreMillis":-1,"warmupMillis":6,"loadMillis":658,"pauseMillis":178,"saveMillis":67,"keptByPause":1,"iterationMicros":270,"busyPermille":-1,"peakMemoryMib":-1,"savedBytes":10348,"checkpointEveryMillis":-1,"savedAtMillis":1794971180317,"step":3456,"savedStep":3456,"totalSteps":900000,"beside":[]}');
INSERT INTO run VALUES(11,1,'2,3',1794971174029,1794971174750,1794971179822,1794971180170,'PAUSED',NULL,15,'',695,5147,0,276,5147,12,1092570,1007007,'{"startMillis":692,"buildMillis":2,"restoreMillis":-1,"warmupMillis":1,"loadMillis":695,"pauseMillis":276,"saveMillis":144,"keptByPause":1,"iterationMicros":544,"busyPermille":-1,"peakMemoryMib":-1,"savedBytes":10341,"checkpointEveryMillis":-1,"savedAtMillis":1794971180030,"step":2499,"savedStep":2499,"totalSteps":900000,"beside":[]}');
INSERT INTO run VALUES(12,1,'2,3',1794971180170,1794971180298,-1,-1,'',NULL,0,'',0,0,0,0,0,-1,0,0,'');
INSERT INTO run VALUES(11,2,'0,1',1794971180433,1794971180866,-1,-1,'',NULL,0,'',0,0,0,0,0,-1,0,0,'{"startMillis":357,"buildMillis":14,"restoreMillis":0,"warmupMillis":0,"loadMillis":371,"pauseMillis":-1,"saveMillis":-1,"keptByPause":-1,"iterationMicros":353,"busyPermille":-1,"peakMemoryMib":-1,"savedBytes":-1,"checkpointEveryMillis":-1,"savedAtMillis":-1,"step":3138,"savedStep":2499,"totalSteps":900000,"beside":[]}');
CREATE TABLE submission (
    owner TEXT NOT NULL,
    submission_key TEXT NOT NULL,
    digest TEXT NOT NULL,
    first_job BIGINT NOT NULL,
    jobs INTEGER NOT NULL,
    at_millis BIGINT NOT NULL,
    PRIMARY KEY (owner, submission_key)
);
INSERT INTO submission VALUES('root','c48545fa-4779-4454-a30f-6180c8429608','cc8e9f588bc0f5d8df234e9a00654c231551085eae15ab3551e71d7cf993808f',1,1,1794971114140);
INSERT INTO submission VALUES('root','af462fa1-8d74-458b-8ecc-75187dca87eb','a23e0644f74f6f99a41fd110554354ae2cb320d8f27993d46f8646209c850c2c',2,1,1794971116124);
INSERT INTO submission VALUES('root','56b70aed-3263-4ce7-9e80-a70a3ea9be14','0d2692f64831a9179894f6dffe086445ece7adf116a1307fba93f6a80e12aaa7',3,1,1794971118008);
INSERT INTO submission VALUES('root','f227ab9c-46d7-423a-8e27-7e4aa5ef307f','451823efdbfe965f7cbe0f02f095ac901e18712c22f6f532f09c2aefe1ccbd0b',4,1,1794971123099);
INSERT INTO submission VALUES('root','969ea7fa-1621-4362-982d-e4f45a3e334b','da982ae50a2d5c553e69e1df82b3af0afd5ddb81734f87fddee2c399d9837522',5,1,1794971124547);
INSERT INTO submission VALUES('root','2c244a77-6c32-441c-b96b-a21a58d459a9','e9b004ca4ef99d15c0b2b91d7842cc29211d085008bbe9a0e576404e97f533bc',6,3,1794971127881);
INSERT INTO submission VALUES('root','b5fcc3a0-80ee-4110-81dc-d21538311c0a','f331e5ffac60bda844404bbf5a2904d258d1b4367583d8efc6e70cb7900f73f8',9,1,1794971129646);
INSERT INTO submission VALUES('root','eda35bff-7521-4f02-b0fa-72212b5595bc','7a8c49024c0f533c1dabb1a5a66c74706bbf34ef84536e82b356e66c7e0b4ea5',10,1,1794971172028);
INSERT INTO submission VALUES('root','5a492dd4-833f-4ab7-8927-f6f3aa62e934','96239346d34d68499dc59d05e18eada73a8641153afa14ed5edcc86801ccbc72',11,1,1794971174029);
INSERT INTO submission VALUES('root','62d584f2-d5cc-4621-9070-0cdaf27c589b','b2053c31bfb106a737833a3a0db8dce6e9a9d2a4b78a4527fe2ab7139903b50a',12,1,1794971179822);
INSERT INTO submission VALUES('root','22f8fff3-75fe-4753-804a-d509f0375aea','9e672207e993cf83aa1ba7e9f7f2a5f98fe9e61df2df3f3a0924a09c52728d40',13,1,1794971185234);
CREATE TABLE audit (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at_millis BIGINT NOT NULL,
    owner TEXT NOT NULL,
    role TEXT NOT NULL,
    origin TEXT NOT NULL,
    action TEXT NOT NULL,
    target TEXT NOT NULL,
    result TEXT NOT NULL
);
INSERT INTO audit VALUES(1,1794971114140,'root','ADMIN','127.0.0.1','submit','job 1','granted');
INSERT INTO audit VALUES(2,1794971116124,'root','ADMIN','127.0.0.1','submit','job 2','granted');
INSERT INTO audit VALUES(3,1794971118008,'root','ADMIN','127.0.0.1','submit','job 3','granted');
INSERT INTO audit VALUES(4,1794971123099,'root','ADMIN','127.0.0.1','submit','job 4','granted');
INSERT INTO audit VALUES(5,1794971124547,'root','ADMIN','127.0.0.1','submit','job 5','granted');
INSERT INTO audit VALUES(6,1794971126281,'root','ADMIN','127.0.0.1','submit','','refused: 422 Cannot be accepted');
INSERT INTO audit VALUES(7,1794971127881,'root','ADMIN','127.0.0.1','submit','jobs 6..8','granted');
INSERT INTO audit VALUES(8,1794971129646,'root','ADMIN','127.0.0.1','submit','job 9','granted');
INSERT INTO audit VALUES(9,1794971136517,'root','ADMIN','127.0.0.1','update','job 3','refused: 409 Not in this state');
INSERT INTO audit VALUES(10,1794971137871,'root','ADMIN','127.0.0.1','hold','job 3','refused: 409 Not in this state');
INSERT INTO audit VALUES(11,1794971146576,'root','ADMIN','127.0.0.1','drain','node local','refused: 404 Not found');
INSERT INTO audit VALUES(12,1794971170030,'root','ADMIN','127.0.0.1','queues','1 rules','granted');
INSERT INTO audit VALUES(13,1794971172028,'root','ADMIN','127.0.0.1','submit','job 10','granted');
INSERT INTO audit VALUES(14,1794971174029,'root','ADMIN','127.0.0.1','submit','job 11','granted');
INSERT INTO audit VALUES(15,1794971179822,'root','ADMIN','127.0.0.1','submit','job 12','granted');
INSERT INTO audit VALUES(16,1794971185234,'root','ADMIN','127.0.0.1','submit','job 13','granted');
INSERT INTO audit VALUES(17,1794971187738,'root','ADMIN','127.0.0.1','update','job 13','granted');
INSERT INTO audit VALUES(18,1794971194679,'root','ADMIN','127.0.0.1','drain','node 0','granted');
CREATE TABLE token (
    id TEXT PRIMARY KEY,
    sha256 TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    role TEXT NOT NULL,
    label TEXT NOT NULL,
    created_millis BIGINT NOT NULL,
    expires_millis BIGINT NOT NULL,
    revoked_millis BIGINT NOT NULL
);
CREATE TABLE image (
    seq INTEGER PRIMARY KEY,
    body TEXT NOT NULL
);
CREATE TABLE kind (
    command TEXT NOT NULL,
    model TEXT NOT NULL,
    gpu_type TEXT NOT NULL,
    gpus INTEGER NOT NULL,
    at_millis BIGINT NOT NULL,
    body TEXT NOT NULL, seq BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (command, model, gpu_type, gpus)
);
CREATE TABLE estimate (
    job BIGINT NOT NULL,
    moment TEXT NOT NULL,
    at_millis BIGINT NOT NULL,
    source TEXT NOT NULL,
    done_millis BIGINT NOT NULL,
    p10_millis BIGINT NOT NULL,
    p50_millis BIGINT NOT NULL,
    p90_millis BIGINT NOT NULL,
    truth_millis BIGINT NOT NULL,
    PRIMARY KEY (job, moment)
);
INSERT INTO estimate VALUES(1,'submit',1794971114140,'ASSUMED',0,400055,3612365,32592847,5747);
INSERT INTO estimate VALUES(1,'start',1794971114482,'ASSUMED',0,400055,3612365,32592847,5747);
INSERT INTO estimate VALUES(2,'submit',1794971116124,'ASSUMED',0,400055,3612365,32592847,6011);
INSERT INTO estimate VALUES(2,'start',1794971116421,'ASSUMED',0,400055,3612365,32592847,6011);
INSERT INTO estimate VALUES(4,'submit',1794971123099,'ASSUMED',0,400055,3612365,32592847,1075);
INSERT INTO estimate VALUES(4,'start',1794971123143,'ASSUMED',0,400055,3612365,32592847,1075);
INSERT INTO estimate VALUES(3,'submit',1794971118008,'ASSUMED',0,400055,3612365,32592847,4309);
INSERT INTO estimate VALUES(3,'start',1794971121021,'ASSUMED',0,7471,2805679,28586156,4309);
INSERT INTO estimate VALUES(6,'submit',1794971127881,'ASSUMED',0,400055,3612365,32592847,35);
INSERT INTO estimate VALUES(6,'start',1794971127932,'ASSUMED',0,400055,3612365,32592847,35);
INSERT INTO estimate VALUES(8,'submit',1794971127881,'ASSUMED',0,400055,3612365,32592847,65);
INSERT INTO estimate VALUES(8,'start',1794971127969,'ASSUMED',0,400055,3612365,32592847,65);
INSERT INTO estimate VALUES(7,'submit',1794971127881,'ASSUMED',0,400055,3612365,32592847,65);
INSERT INTO estimate VALUES(7,'start',1794971127955,'ASSUMED',0,400055,3612365,32592847,65);
INSERT INTO estimate VALUES(9,'submit',1794971129646,'LEARNED',0,94,469,5403416,37);
INSERT INTO estimate VALUES(9,'start',1794971129681,'LEARNED',0,94,469,5403416,37);
CREATE TABLE pair (
    slowed TEXT NOT NULL,
    beside TEXT NOT NULL,
    gpu_type TEXT NOT NULL,
    at_millis BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (slowed, beside, gpu_type)
);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('audit',18);
CREATE INDEX line_of_job ON line (job, seq);
CREATE INDEX line_of_owner ON line (owner, seq);
CREATE INDEX line_at ON line (at_millis, seq);
CREATE INDEX job_by_state ON job (state, id);
CREATE INDEX job_of_owner ON job (owner, state, id);
CREATE INDEX job_of_array ON job (array_id, id) WHERE array_id >= 0;
CREATE INDEX job_ended ON job (finished_millis, id) WHERE finished_millis >= 0;
CREATE INDEX kind_at ON kind (at_millis);
CREATE INDEX estimate_at ON estimate (at_millis);
CREATE INDEX pair_at ON pair (at_millis);
COMMIT;
