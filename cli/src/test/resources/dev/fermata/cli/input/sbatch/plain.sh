echo no header at all
python train.py
